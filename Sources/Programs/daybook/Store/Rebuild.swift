import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

struct Rebuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Repair the store as far as possible.",
        discussion: """
            Use it when 'daybook verify' finds problems. Every index and count is derived again from the tasks. Damaged \
            tasks are named and quarantined, and everything else works again; the damaged part of the history is \
            removed. Exits with 1 if tasks are damaged or missing: only a backup can restore them.

            Examples:
              daybook rebuild
              daybook import backup.ndjson   # afterwards, if tasks were lost
            """)

    /// Does the work, in a process that damaged pages may end.
    @Flag(help: .hidden)
    var inProcess = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        if inProcess {
            CrashMessage.remove()
            let repairs = try await Repairs.rebuilding(session)
            var writer = JSONWriter()
            repairs.write(to: &writer)
            return try Output.standard.write(writer.bytes)
        }
        let repairs = try Repairs.ofChild(rebuilding: session, now: options.now)
        if options.json {
            try Output.standard.json { repairs.write(to: &$0) }
        } else {
            try Output.standard.write(repairs.text)
        }
        if !repairs.isComplete { throw CommandError.finished(.checkFailed) }
    }
}

/// The result of a rebuild.
private struct Repairs: Decodable {
    var entriesWritten: Int
    var recordsSetAside: [String]
    var missingRecords: [String: Int]
    var outdatedCollections: [String]
    var changesRemoved: Int

    init(_ report: RebuildReport) {
        entriesWritten = report.entriesWritten
        recordsSetAside = report.quarantinedRecords
        missingRecords = report.missingRecords
        outdatedCollections = report.outdatedCollections
        changesRemoved = report.changesRemoved
    }

    var isComplete: Bool { recordsSetAside.isEmpty && missingRecords.isEmpty && outdatedCollections.isEmpty }

    static func rebuilding(_ session: Session) async throws -> Repairs {
        do {
            return Repairs(try await session.write { try await $0.rebuild() })
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noStore(path: session.path)
        }
    }

    static func ofChild(rebuilding session: Session, now: String?) throws -> Repairs {
        switch try ChildCommand.run("rebuild", on: session, now.map { ["--now", $0] } ?? []) {
        case .done(let output):
            guard let repairs = try? JSONDecoder().decode(Repairs.self, from: Data(output)) else {
                throw CommandError.unusable("The rebuild gave no result. Run 'daybook verify' to check the store.")
            }
            return repairs
        case .killed(let signal):
            throw CommandError.unusable(
                "The rebuild was ended by signal \(signal): a page of data.mdb is damaged. Nothing was changed. "
                    + "Restore a backup into a new folder: daybook import FILE --store DIR.")
        }
    }

    var text: String {
        var lines = ["Wrote \(entriesWritten) entries"]
        if changesRemoved > 0 {
            lines.append("Removed the damaged history: \(changesRemoved) changes can no longer be undone")
        }
        lines += recordsSetAside.map { "\($0) is damaged and was quarantined" }
        lines += missingRecords.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value) are missing" }
        lines += outdatedCollections.map { "\($0): some are older than they should be" }
        if !isComplete { lines.append("Restore from a backup: daybook import FILE") }
        return lines.map { VisibleText.of($0) + "\n" }.joined()
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("entriesWritten", entriesWritten)
            writer.field("recordsSetAside", recordsSetAside)
            writer.object("missingRecords") { writer in
                for (collection, count) in missingRecords.sorted(by: { $0.key < $1.key }) {
                    writer.field(collection, count)
                }
            }
            writer.field("outdatedCollections", outdatedCollections)
            writer.field("changesRemoved", changesRemoved)
        }
    }
}
