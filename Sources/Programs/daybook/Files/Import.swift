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

            Of another program's table, --columns names the columns of fields: text, due, on, list, tags, priority, \
            category, note, done, repeat, wait, and those of 'export --format csv'. Other columns are kept. --dates says \
            how it writes dates. --preview shows the first tasks, and nothing is written.

            Examples:
              daybook import tasks.json
              daybook import todoist.csv --preview
              daybook import plan.csv --columns text=Title,due=Deadline,tags=Labels --dates d.m.y --delimiter ';'
              task export | daybook import - --format taskwarrior
              daybook import tasks.ndjson --dry-run
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(help: "The format. Default: detected from the content, then from the name.")
    var format: ImportFormat?

    @Option(help: ArgumentHelp("Which column of a table is which field.", valueName: "field=column,…"))
    var columns: String?

    @Option(help: ArgumentHelp("The order of day, month and year in a table, such as d.m.y.", valueName: "pattern"))
    var dates: String?

    @Option(help: ArgumentHelp("The character between the cells of a table.", valueName: "character"))
    var delimiter: String?

    @Flag(help: "Show the first tasks of the file, and write nothing.")
    var preview = false

    @Flag(help: "Only report what would happen.")
    var dryRun = false

    @Flag(help: "Skip records that are not valid, and report them.")
    var skipInvalid = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let table = try table()
        let input = file == "-" ? TaskFile(standardInput: "standard input") : try TaskFile(path: file)
        let line = ProgressLine(dryRun ? "Checking" : "Importing")
        defer { line.end() }
        var last = FileProgress()
        var importing = ImportOptions()
        importing.format = format
        importing.table = table
        if importing.table != nil, format == nil, columns != nil { importing.format = .csv }
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
        if preview { return try showFirst(of: input, importing, in: session) }
        let report: ImportReport
        do {
            report =
                dryRun
                ? try self.report(of: input, importing, in: session) : try await write(input, importing, in: session)
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

    /// How the table is read; nil for a file that nobody has called a table or asked to see. An error names the columns of one.
    private func table() throws -> TableOptions? {
        guard columns != nil || dates != nil || delimiter != nil || format == .csv || preview else { return nil }
        do {
            return try TableOptions(columns: columns, dates: dates, delimiter: delimiter)
        } catch {
            throw CommandError.usage(error.description)
        }
    }

    /// How many tasks a preview shows.
    private static let previewLimit = 10

    private func showFirst(of input: TaskFile, _ importing: ImportOptions, in session: Session) throws {
        let tasks = try StoreFiles.firstTasks(
            of: input, limit: Self.previewLimit, context: session.context, options: importing)
        let shown = tasks.map { ShownTask(previewed: $0, in: session) }
        if options.json { return try Output.standard.json { $0.tasks(shown) } }
        var table = TaskTable()
        table.heading("The first \(shown.count == 1 ? "task" : "\(shown.count) tasks") of the file")
        if shown.isEmpty { table.line("The file has no task.") } else { table.rows(shown) }
        table.line("Nothing was imported. Leave --preview out to import the file.")
        try Output.standard.write(table.text)
    }

    /// A missing store is not created to see what would happen.
    private func report(of input: TaskFile, _ importing: ImportOptions, in session: Session) throws -> ImportReport {
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

extension ShownTask {
    /// A task that is in no store.
    fileprivate init(previewed imported: ImportedTask, in session: Session) {
        let task = imported.task
        self.init(
            task: task, sortOrder: imported.sortOrder, shortID: String(task.id.lowercased.suffix(4)),
            zone: session.context.zone, today: session.today)
    }
}
