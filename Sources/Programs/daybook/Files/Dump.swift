import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write every record of every collection as NDJSON, without loss.",
        discussion: """
            A dump contains all collections, including undeclared ones; 'daybook load' reads it. The file \
            appears complete or not at all, and only you can read it.

            Examples:
              daybook dump > store.ndjson
              daybook dump -o store.ndjson.zst
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file; '-' is standard output. '.zst' at the end of its name compresses it.", valueName: "file"),
        completion: .file())
    var output = "-"

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output needs a file. Name one, or '-'.") }
    }

    func run() throws {
        let session = try reading.session(options)
        let line = ProgressLine("Dumping")
        defer { line.end() }
        Interruption.begin()
        let count = try session.withReader { daybook in
            guard output != "-" else {
                let isTerminal = Terminal.standardOutput.isTerminal
                return try daybook.files.dump(isCompressed: false) { progress in
                    try Interruption.check()
                    if !isTerminal { line.update(progress) }
                } to: { (bytes) throws(FileError) in
                    do throws(OutputError) { try Output.standard.write(bytes) } catch { throw error.fileError }
                }
            }
            return try daybook.files.dump(to: URL(filePath: output), overwrite: force) { progress in
                try Interruption.check()
                line.update(progress)
            }
        }
        guard let count else { throw CommandError.noStore(path: session.path) }
        line.end()
        if output == "-" { return }
        guard options.json else {
            return try Output.standard.write("Dumped \(count) records to \(VisibleText.of(output))\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("file", output)
                writer.field("records", count)
            }
        }
    }
}

struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a dump into an empty store.",
        discussion: """
            The new store is built and verified before it is renamed into place, so that an error changes nothing. A \
            store that has records is refused.

            Examples:
              daybook load store.ndjson.zst --store ~/copy
              daybook dump | daybook load - --store ~/copy
            """)

    @Argument(help: "The dump; '-' is standard input.", completion: .file())
    var file: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let input = file == "-" ? TaskFile(standardInput: "standard input") : try TaskFile(path: file)
        let line = ProgressLine("Loading")
        defer { line.end() }
        Interruption.begin()
        let report: RestoreReport
        do {
            report = try StoreFiles.load(input, into: session.path, context: session.context) { progress in
                try Interruption.check()
                line.update(progress)
            }
        } catch FileError.storeNotEmpty(let path) {
            throw CommandError.notAllowed(FileError.storeNotEmpty(path: path).description)
        }
        line.end()
        guard options.json else {
            return try Output.standard.write("Loaded \(report.records) records into \(VisibleText.of(session.path))\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("store", session.path)
                writer.field("records", report.records)
            }
        }
    }
}
