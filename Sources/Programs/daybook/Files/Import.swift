import ArgumentParser
import CommandSupport
import Daybook

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import the tasks of a file into the store.",
        discussion: """
            All records are checked first: an invalid one is reported by its line, and nothing is imported unless \
            --skip-invalid is given. Of two versions of a task the newer wins, so a second run changes nothing, and \
            completes a run that was interrupted. The format is detected from the content unless --format names it. \
            Files compressed with zstd are read directly.

            Examples:
              daybook import tasks.json
              task export | daybook import - --format taskwarrior
              daybook import tasks.ndjson --dry-run
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(help: "The format. Default: detected from the content, then from the name.")
    var format: TaskFormat?

    @Flag(help: "Only report what would happen.")
    var dryRun = false

    @Flag(help: "Skip records that are not valid, and report them.")
    var skipInvalid = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let input = file == "-" ? TaskFile(standardInput: "standard input") : try TaskFile(path: file)
        let line = ProgressLine(dryRun ? "Checking" : "Importing")
        defer { line.end() }
        var last = FileProgress()
        var importing = ImportOptions()
        importing.format = format
        importing.skipInvalid = skipInvalid
        importing.leftOut = { record in
            line.end()
            let place = RecordPlace.text(line: record.line, record.place)
            Output.report("The record at \(place) was skipped: \(record.reason).")
        }
        importing.progress = { progress in
            last = progress
            try Interruption.check()
            line.update(progress)
        }
        let report: ImportReport
        do {
            report =
                dryRun ? try preview(input, importing, in: session) : try await write(input, importing, in: session)
        } catch CommandError.finished(.interrupted) {
            line.end()
            Output.report(Self.notice(of: last.report, dryRun: dryRun))
            throw CommandError.finished(.interrupted)
        }
        line.end()
        for rule in report.unsupported {
            Output.report(
                "Record \(rule.record) (\(rule.id.lowercased)) recurs in the file and not here. \(rule.reason)")
        }
        try print(report)
    }

    private static func notice(of report: ImportReport, dryRun: Bool) -> String {
        let count = report.imported + report.unchanged
        if dryRun || count == 0 { return "Interrupted; nothing was imported." }
        return "Interrupted: \(report.imported) are imported. The same import again completes it."
    }

    private func write(
        _ input: TaskFile, _ importing: ImportOptions, in session: Session
    ) async throws -> ImportReport {
        var importing = importing
        if !skipInvalid, input.byteCount == nil {
            // A pipe is read completely before there is anything that an interruption could leave incomplete.
            try StoreFiles.checkImport(of: input, context: session.context, options: importing)
            importing.isChecked = true
        }
        // A file that is checked, or whose size is known, never blocks.
        if importing.isChecked || input.byteCount != nil { Interruption.begin() }
        // A refused file must not leave an empty store behind.
        if try session.withReader({ _ in }) == nil {
            do {
                return try await StoreFiles.import(
                    input, intoNewStoreAt: session.path, context: session.context, options: importing)
            } catch FileError.targetExists, FileError.notFound {
                // Another process was faster, or the folder around the store is missing, which opening creates.
            }
            if !skipInvalid, !importing.isChecked {
                try StoreFiles.checkImport(of: input, context: session.context, options: importing)
                importing.isChecked = true
            }
        }
        let options = importing
        return try await session.write(creating: true) { try await $0.files.import(input, options: options) }
    }

    /// A missing store is not created for a preview.
    private func preview(_ input: TaskFile, _ importing: ImportOptions, in session: Session) throws -> ImportReport {
        try session.withReader { try $0.files.previewImport(input, options: importing) }
            ?? StoreFiles.previewImport(input, intoNewStoreOf: session.context, options: importing)
    }

    private func print(_ report: ImportReport) throws {
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
                guard !report.unsupported.isEmpty else { return }
                writer.array("unsupported") { writer in
                    for rule in report.unsupported {
                        writer.object { writer in
                            writer.field("record", rule.record)
                            writer.field("id", rule.id)
                            writer.field("part", rule.part)
                        }
                    }
                }
            }
        }
    }
}
