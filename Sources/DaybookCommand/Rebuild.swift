import ArgumentParser
import Daybook

/// `daybook rebuild`
struct Rebuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Derives every index and count again from the tasks.",
        discussion: """
            For a store of which 'daybook verify' says that an index or a count is wrong. Damaged tasks are named and \
            left as they are.

            Examples:
              daybook rebuild
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let report: RebuildReport
        do {
            report = try await session.write { try await $0.rebuild() }
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noStore(path: session.path)
        }
        if options.json {
            try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("entriesWritten", report.entriesWritten)
                    writer.field("unreadableRecords", report.unreadableRecords)
                }
            }
        } else {
            let lines = report.unreadableRecords.map { "\($0) is damaged and was left as it is\n" }
            try Output.standard.write("Wrote \(report.entriesWritten) entries\n" + lines.joined())
        }
        if !report.unreadableRecords.isEmpty { throw CommandError.finished(.checkFailed) }
    }
}
