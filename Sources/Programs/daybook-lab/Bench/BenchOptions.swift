import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Workloads

/// What a run of `bench` is compared with.
struct BenchReferences: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Compares what was counted with a file, in which every difference counts.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp("Writes what was counted to a file, to be the baseline from now on.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    @Option(
        help: ArgumentHelp("Compares with another build of this program, in turn with it.", valueName: "program"),
        completion: .file())
    var against: String?

    var areGiven: Bool { baseline != nil || writeBaseline != nil || against != nil }
}

/// Where a report of `bench` goes, besides standard output.
struct BenchOutputs: ParsableArguments {
    @Option(
        help: ArgumentHelp("Writes the report as Markdown, for a pull request.", valueName: "file"), completion: .file()
    )
    var markdown: String?

    @Option(
        help: ArgumentHelp("Writes it as JUnit's XML, for what shows tests.", valueName: "file"), completion: .file())
    var junit: String?

    @Option(
        help: ArgumentHelp("Writes it as a page with charts.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp("Adds the run to a file, and shows it beside the runs in it.", valueName: "file"),
        completion: .file())
    var history: String?

    var areGiven: Bool { markdown != nil || junit != nil || html != nil || history != nil }

    /// The runs before this one; nil when they are not asked for.
    func past() throws -> RunHistory? { try history.map { try RunHistory(path: $0) } }

    func write(_ report: BenchReport, after past: RunHistory?, asJSON: Bool) throws {
        if let markdown { try Self.write(BenchMarkdown(report: report, history: past).text, to: markdown) }
        if let html { try Self.write(BenchPage(report: report, history: past).html, to: html) }
        if let junit { try Self.write(BenchJUnit(report: report).text, to: junit) }
        if asJSON {
            try Output.standard.json(BenchJSON(report: report, history: past))
        } else {
            try Output.standard.write(BenchTable(report: report, history: past).text)
        }
        // Last, so that a run that could not be told is not remembered.
        if let history { try RunHistory.append(RunRecord(report), to: history) }
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try AtomicFile(path: path, overwrite: true)
        try file.write(Array(text.utf8))
        try file.commit()
    }
}

/// The file of a baseline.
struct BaselineFile {
    let path: String

    /// Reads it. A file that is missing or cannot be used ends the command with one line.
    func read() throws -> Baseline {
        let bytes = try InputFile.opening(path).contents()
        do {
            return try Baseline(reading: bytes)
        } catch {
            throw CommandError.unusable("\(path) cannot be used. \(error)")
        }
    }

    /// Writes what a run has counted. What it has not counted stays as the file has it.
    func write(_ run: CountedRun) throws {
        let older = FileManager.default.fileExists(atPath: path) ? try read() : nil
        let file = try AtomicFile(path: path, overwrite: true)
        try file.write(try Baseline(run, keeping: older).contents())
        try file.commit()
    }
}
