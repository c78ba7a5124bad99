import ArgumentParser
import Daybook

/// `daybook import`
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings the tasks of a file into the store.",
        discussion: """
            All records are checked first: one that is not valid is named by its line, and nothing is imported unless \
            --skip-invalid is given. Of two versions of a task the newer stays, so a second run changes nothing. The \
            format is told by the content; --format decides.

            Examples:
              daybook import tasks.json
              task export | daybook import - --format taskwarrior
              daybook import tasks.ndjson --dry-run
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(help: "The format. Default: told by the content, then by the name.")
    var format: TaskFormat?

    @Flag(help: "Only says what would happen.")
    var dryRun = false

    @Flag(help: "Leaves out records that are not valid, and names them.")
    var skipInvalid = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let bytes = try InputFile.opening(file).contents()
        let format = try format ?? TaskFormat.detect(bytes, name: file == "-" ? nil : file)
        let records = try TaskReader.read(
            bytes, format: format, zone: session.context.zone, skipInvalid: skipInvalid,
            now: session.context.clock.wall)
        let report = dryRun ? try await preview(records, in: session) : try await write(records, in: session)
        for record in records.invalid {
            Output.tell("The record at line \(record.line) was left out: \(record.reason).")
        }
        try tell(report)
    }

    private func write(_ records: TaskImport, in session: Session) async throws -> ImportReport {
        try await session.write(creating: true) { try await $0.import(records) }
    }

    /// A store that is not there yet is not created for a preview.
    private func preview(_ records: TaskImport, in session: Session) async throws -> ImportReport {
        do {
            return try await session.write { try await $0.previewImport(records) }
        } catch RecordsError.engine(.storeNotFound) {
            var report = ImportReport()
            report.imported = records.tasks.count + records.tombstones.count
            report.skipped = records.invalid.count
            return report
        }
    }

    private func tell(_ report: ImportReport) throws {
        guard options.json else {
            let verb = dryRun ? "Would import" : "Imported"
            return try Output.standard.write(
                "\(verb) \(report.imported), unchanged \(report.unchanged), skipped \(report.skipped)\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("imported", report.imported)
                writer.field("unchanged", report.unchanged)
                writer.field("skipped", report.skipped)
            }
        }
    }
}
