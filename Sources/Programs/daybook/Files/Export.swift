import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write all tasks to a file, or to standard output.",
        discussion: """
            The file appears complete or not at all, and only you can read it. The format json is for people and other \
            programs, ndjson keeps every detail for an import, taskwarrior is for 'task import'.

            Examples:
              daybook export > tasks.json
              daybook export -o ~/backups        # daybook-tasks-YYYY-MM-DD.json in that folder
              daybook export -o tasks.ndjson.zst --format ndjson --force
              daybook export -o tasks.csv --format csv --bom
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file, or a folder for a file named by the day; '-' is standard output. '.zst' at its end compresses it.",
            valueName: "file"),
        completion: .file())
    var output = "-"

    @Option(help: "The format.")
    var format = TaskFormat.json

    @Flag(help: "Compress the file with zstd.")
    var compress = false

    @Flag(help: "In csv, leave text unchanged that a spreadsheet would interpret as a formula.")
    var raw = false

    @Flag(help: "In csv, begin with a byte order mark, so that a spreadsheet reads the text as UTF-8.")
    var bom = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        guard !output.isEmpty else { throw CommandError.usage("--output needs a file. Name one, or '-'.") }
        let path = path(on: session.today)
        let progress = ProgressLine("Exporting")
        var exporting = ExportOptions()
        exporting.isCompressed = compress || path.hasSuffix(".zst")
        exporting.isRaw = raw
        exporting.hasByteOrderMark = bom
        // Standard output may be the same terminal.
        if output != "-" || !Terminal.standardOutput.isTerminal { exporting.progress = { progress.update($0) } }
        defer { progress.end() }
        let isThere: Void? =
            try session.withReader { daybook in
                if output == "-" {
                    try daybook.files.export(as: format, options: exporting) { (bytes) throws(FileError) in
                        try Self.print(bytes)
                    }
                } else {
                    try daybook.files.repeatingLostSnapshots { try write(daybook, exporting, to: path, progress) }
                }
            }
        if isThere == nil { throw CommandError.noStore(path: session.path) }
    }

    private func path(on day: Day) -> String {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder else { return output }
        let name = format.fileName(on: day, isCompressed: compress)
        return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
    }

    private func write(
        _ daybook: DaybookStore, _ exporting: ExportOptions, to path: String, _ progress: ProgressLine
    ) throws {
        var written = 0
        do {
            // Until it is complete, the file has another name, and an interruption must not leave that behind.
            Interruption.begin()
            let file = try AtomicFile(path: path, overwrite: force)
            try daybook.files.export(as: format, options: exporting) { (bytes) throws(FileError) in
                if Interruption.isRequested { throw .system(path: path, code: Interruption.code) }
                try file.write(bytes)
                written += bytes.count
            }
            if Interruption.isRequested { throw FileError.system(path: path, code: Interruption.code) }
            progress.end()
            try file.commit()
        } catch let error as FileError {
            throw Interruption.isRequested ? CommandError.finished(.interrupted) : CommandError.exportFailed(error)
        }
        guard options.json else {
            return try Output.standard.write("Exported \(written) bytes to \(VisibleText.of(path))\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("file", path)
                writer.field("format", format.rawValue)
                writer.field("bytes", written)
            }
        }
    }

    private static func print(_ bytes: [UInt8]) throws(FileError) {
        do throws(OutputError) {
            try Output.standard.write(bytes)
        } catch {
            throw error.fileError
        }
    }
}

extension TaskFormat: ExpressibleByArgument {}
extension ImportFormat: ExpressibleByArgument {}
