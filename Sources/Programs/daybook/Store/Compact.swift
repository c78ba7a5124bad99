import ArgumentParser
import CommandSupport
import Daybook

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rewrite the store, so that nothing purged is left in it.",
        discussion: """
            Deleted, purged and overwritten texts stay in free parts of the file until they are overwritten. This \
            command writes all records to a new file, which replaces the old one. Nothing else changes; undo works as \
            before. Other programs can read and write meanwhile; writers wait for its end only.

            Examples:
              daybook purge 3c2f --yes
              daybook compact
              daybook compact --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let report: CompactionReport
        do {
            report = try session.write { try $0.compact() }
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noStore(path: session.path)
        }
        guard options.json else {
            return try Output.standard.write(
                "Compacted the store: \(report.bytesBefore) bytes before, \(report.bytesAfter) after\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("bytesBefore", report.bytesBefore)
                writer.field("bytesAfter", report.bytesAfter)
            }
        }
    }
}
