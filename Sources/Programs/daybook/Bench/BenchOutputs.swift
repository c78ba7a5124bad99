import ArgumentParser
import Daybook
import Workloads

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
            try Output.standard.json { BenchJSON(report: report, history: past).write(to: &$0) }
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
