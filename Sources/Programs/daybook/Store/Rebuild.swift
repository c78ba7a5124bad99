import ArgumentParser
import CommandSupport
import Daybook
import FileSystem
import FoundationEssentials

struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Repair the store as far as possible.",
        discussion: """
            Use it when 'daybook verify' finds problems, or when the store cannot be opened. Where every task is \
            intact, indexes and counts are derived from the tasks again. Otherwise the records of all intact pages go \
            into a new store, which replaces the damaged one; that is kept beside it, and its new name is printed. \
            Close the programs that have the store open.

            Names the missing records, and exits with 1 if there are any: only a backup can restore them.

            Examples:
              daybook rebuild
              daybook import backup.ndjson   # afterwards, if tasks were lost
            """)

    /// Does the work, in a process that damaged pages may end.
    @Flag(help: .hidden)
    var inProcess = false

    /// Without looking whether less would do.
    @Flag(help: .hidden)
    var salvage = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        if inProcess {
            let repairs = try Repairs.rebuilding(session, salvages: salvage)
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
    var entriesWritten = 0
    var recordsSetAside: [String] = []
    var missingRecords: [String: Int] = [:]
    var outdatedCollections: [String] = []
    var changesRemoved = 0
    /// How many records a new store has, and where the damaged one is kept, if what was left went into a new one.
    var recordsSaved: Int?
    var damagedStore: String?
    /// Whether the store was synced and no longer is.
    var hasLeftSpace: Bool?

    init(_ report: RebuildReport) {
        entriesWritten = report.entriesWritten
        recordsSetAside = report.quarantinedRecords
        missingRecords = report.missingRecords
        outdatedCollections = report.outdatedCollections
        changesRemoved = report.changesRemoved
    }

    init(_ report: SalvageReport, damaged: String) {
        for collection in report.collections {
            recordsSetAside += collection.quarantinedKeys.map { "\(collection.name) \($0)" }
            if collection.missing > 0 { missingRecords[collection.name] = collection.missing }
            if collection.missing == 0, collection.quarantinedKeys.isEmpty, collection.isProvedComplete == false {
                outdatedCollections.append(collection.name)
            }
        }
        changesRemoved = report.changesLost
        recordsSaved = report.records
        damagedStore = damaged
        hasLeftSpace = !report.isProvedComplete && FileTree.exists("\(damaged)/sync.json")
    }

    var isComplete: Bool { recordsSetAside.isEmpty && missingRecords.isEmpty && outdatedCollections.isEmpty }

    static func rebuilding(_ session: Session, salvages: Bool) throws -> Repairs {
        do {
            switch try DaybookStore.rebuild(at: session.path, context: session.context, salvages: salvages) {
            case .derived(let report, let repair):
                if let repair { Output.report(repair) }
                return Repairs(report)
            case .salvaged(let report, let damaged): return Repairs(report, damaged: damaged)
            }
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noStore(path: session.path)
        }
    }

    static func ofChild(rebuilding session: Session, now: String?, salvages: Bool = false) throws -> Repairs {
        let arguments = (now.map { ["--now", $0] } ?? []) + (salvages ? ["--salvage"] : [])
        switch try ChildCommand.run("rebuild", on: session, arguments) {
        case .done(let output):
            guard let repairs = try? JSONDecoder().decode(Repairs.self, from: Data(output)) else {
                throw CommandError.unusable("The rebuild gave no result. Run 'daybook verify' to check the store.")
            }
            return repairs
        // A salvage trusts no page.
        case .unreadablePage where !salvages: return try ofChild(rebuilding: session, now: now, salvages: true)
        case .killed(let signal) where !salvages:
            Output.report("The rebuild was ended by \(CrashMessage.advice(on: signal)) What is left is salvaged now.")
            return try ofChild(rebuilding: session, now: now, salvages: true)
        case .unreadablePage:
            throw CommandError.unusable(
                "A page of the store could not be read. The store was not changed. "
                    + "Restore a backup into a new folder: daybook import FILE --store DIR.")
        case .killed(let signal):
            throw CommandError.unusable(
                "The rebuild was ended by \(CrashMessage.advice(on: signal)) The store was not changed. "
                    + "Restore a backup into a new folder: daybook import FILE --store DIR.")
        }
    }

    var text: String {
        var lines = ["Wrote \(entriesWritten) entries"]
        if let recordsSaved, let damagedStore {
            lines = ["Salvaged \(recordsSaved) records; the damaged store is \(damagedStore)"]
        }
        if changesRemoved > 0 {
            lines.append("Removed the damaged history: \(changesRemoved) changes can no longer be undone")
        }
        lines += recordsSetAside.map { "\($0) is damaged and was quarantined" }
        lines += missingRecords.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value) are missing" }
        lines += outdatedCollections.map { "\($0): some are older than they should be" }
        if hasLeftSpace == true {
            lines.append(
                "The store is not synced any more. Join its space again, and keep the damaged store until then")
        }
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
            if let recordsSaved { writer.field("recordsSaved", recordsSaved) }
            if let damagedStore { writer.field("damagedStore", damagedStore) }
            if let hasLeftSpace { writer.field("hasLeftSpace", hasLeftSpace) }
        }
    }
}
