import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

struct JournalExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the entries of a thread as CSV, JSON or Markdown.",
        discussion: """
            Deleted entries are left out. Without -o the file goes to standard output; a folder gets a file with the title \
            and the day in its name.

            Examples:
              daybook journal export garden --format csv -o garden.csv
              daybook journal export garden --format json
              daybook journal export garden --format csv -o garden.csv --split 10000000
            """)

    @Argument(help: .thread) var thread: String
    @Option(help: "The format.") var format: JournalFormat
    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The file, or a folder.", valueName: "file"))
    var output = "-"
    @Option(help: ArgumentHelp("Begin another file after so many bytes.", valueName: "bytes")) var split: Int?
    @Flag(help: "In csv, leave text unchanged that a spreadsheet would interpret as a formula.") var raw = false
    @Flag(help: "Replace files that exist.") var force = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let split, split < 1 { throw ValidationError("--split must be 1 or more.") }
        if split != nil, output == "-" { throw ValidationError("--split needs a file: name it with -o.") }
    }

    func run() throws {
        let session = try options.session()
        guard !output.isEmpty else { throw CommandError.usage("--output needs a file. Name one, or '-'.") }
        let isThere: Void? = try session.withReader { daybook in
            // The lock is for the screen of an application: who may read the store's files is its owner here.
            daybook.journals.lock.unlock(.recognized)
            let found = try daybook.read { try $0.journals.thread(named: thread) }
            if output == "-" {
                _ = try daybook.files.exportThread(found.id, as: format, isRaw: raw) { _, bytes in
                    try Output.standard.write(bytes)
                }
            } else {
                try write(found, daybook, to: path(of: found, on: session.today))
            }
        }
        if isThere == nil { throw JournalError.noSuchThread }
    }

    private func path(of thread: JournalThread, on day: Day) -> String {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder else { return output }
        let name = format.fileName(of: thread, on: day)
        return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
    }

    private func write(_ thread: JournalThread, _ daybook: DaybookStore, to path: String) throws {
        var files: [(path: String, file: AtomicFile)] = []
        var written = 0
        let count = try daybook.files.exportThread(thread.id, as: format, isRaw: raw, partSize: split) { part, bytes in
            if files.count < part {
                let path = split == nil ? path : Self.path(of: part, of: path)
                files.append((path, try AtomicFile(path: path, overwrite: force)))
            }
            try files[part - 1].file.write(bytes)
            written += bytes.count
        }
        // No part appears before all are complete.
        for file in files { try file.file.commit() }
        guard options.json else {
            let names = files.map { VisibleText.of($0.path) }.joined(separator: ", ")
            let what = count == 1 ? "1 entry" : "\(count) entries"
            return try Output.standard.write("Exported \(what) to \(names)\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("files", files.map(\.path))
                writer.field("format", format.rawValue)
                writer.field("entries", count)
                writer.field("bytes", written)
            }
        }
    }

    /// The path of a part: its number is before the suffix.
    private static func path(of part: Int, of path: String) -> String {
        let number = String(repeating: "0", count: max(0, 3 - "\(part)".count)) + "\(part)"
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[name...].lastIndex(of: "."), dot > name else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}

extension JournalFormat: ExpressibleByArgument {}

struct JournalImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Read entries of Day One, jrnl, iCalendar or Daybook's JSON.",
        discussion: """
            The content of the file shows its format. '-' reads standard input. Importing a file again changes nothing. An \
            invalid entry is reported by its line, and nothing is imported unless --skip-invalid is given. Each entry that \
            is skipped is named on standard error, also those without text.

            Examples:
              daybook journal import Journal.json
              daybook journal import notes.ics --into garden
              daybook journal import journal.txt --date-order day-first
            """)

    @Argument(help: "The file; '-' is standard input.") var file: String
    @Option(help: .thread) var into: String?
    @Flag(help: "Skip entries that are not valid, and report them.") var skipInvalid = false
    @Option(help: "The order of dates such as 07/05/2019 in a text of jrnl, where none of the file shows it.")
    var dateOrder: JournalDateOrder?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let bytes = try InputFile.opening(file).contents()
        let last = file.split(separator: "/").last.map(String.init) ?? ""
        let name = file == "-" ? "Imported" : String(last.prefix { $0 != "." })
        var importing = JournalImportOptions()
        (importing.skipInvalid, importing.dateOrder) = (skipInvalid, dateOrder)
        let options = importing
        let report: JournalImportReport
        do {
            report = try session.write(creating: into == nil) { daybook in
                daybook.journals.lock.unlock(.recognized)
                let thread = try into.map { text in try daybook.read { try $0.journals.thread(named: text).id } }
                return try daybook.files.importJournal(bytes, into: thread, name: name, options: options)
            }
        } catch RecordsError.engine(.storeNotFound) {
            throw JournalError.noSuchThread
        }
        for entry in report.skippedEntries {
            let id = entry.id.map { " (\($0.lowercased))" } ?? ""
            Output.report("Entry \(entry.number)\(id) at line \(entry.line) was skipped: \(entry.reason).")
        }
        guard self.options.json else {
            var line = "Imported \(report.imported), unchanged \(report.unchanged)"
            if report.skipped > 0 { line += ", skipped \(report.skipped)" }
            return try Output.standard.write(line + "\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("thread", report.thread)
                writer.field("imported", report.imported)
                writer.field("unchanged", report.unchanged)
                writer.field("skipped", report.skipped)
                writer.array("skippedEntries") { writer in
                    for entry in report.skippedEntries {
                        writer.object { writer in
                            writer.field("number", entry.number)
                            writer.field("line", entry.line)
                            writer.field("id", entry.id)
                            writer.field("reason", entry.reason)
                        }
                    }
                }
            }
        }
    }
}

extension JournalDateOrder: ExpressibleByArgument {}
