import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Workloads

/// Options that select what a run of `bench` is compared with.
struct BenchReferences: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Compare the counts with a file; any difference fails.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp("Write the counts to a file as the new baseline.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    @Option(
        help: ArgumentHelp("Compare with another build of this program, interleaved.", valueName: "program"),
        completion: .file())
    var against: String?

    var areGiven: Bool { baseline != nil || writeBaseline != nil || against != nil }
}

/// Options that write the report of `bench` to files.
struct BenchOutputs: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write the report as Markdown, for a pull request or a page.", valueName: "file"),
        completion: .file()
    )
    var markdown: String?

    @Option(
        help: ArgumentHelp("Write the report as an HTML page with charts.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    var areGiven: Bool { markdown != nil || html != nil }

    func write(_ report: BenchReport, asJSON: Bool) throws {
        if let markdown { try write(BenchMarkdown(report: report).text, to: markdown) }
        if let html { try write(BenchPage(report: report).html, to: html) }
        if asJSON {
            try Output.standard.json { report.write(to: &$0) }
        } else {
            try Output.standard.write(BenchTable(report: report).text)
        }
    }

    func write(_ text: String, to path: String) throws {
        try AtomicFile.replace(path, with: Array(text.utf8))
    }
}

extension AtomicFile {
    /// Writes a file as a whole.
    package static func replace(_ path: String, with bytes: [UInt8]) throws {
        let file = try AtomicFile(path: path, overwrite: true)
        try file.write(bytes)
        try file.commit()
    }
}

/// A baseline file.
struct BaselineFile {
    let path: String

    /// Reads the file. A missing or unusable file ends the command with a one-line error.
    func read() throws -> Baseline {
        let bytes = try InputFile.opening(path).contents()
        do {
            return try Baseline(reading: bytes)
        } catch {
            throw CommandError.unusable("\(path) cannot be used. \(error)")
        }
    }

    /// Writes the counts of a run. Counts that the run lacks are copied from the existing file.
    func write(_ run: CountedRun) throws {
        let older = FileManager.default.fileExists(atPath: path) ? try read() : nil
        try AtomicFile.replace(path, with: try Baseline(run, keeping: older).contents())
    }
}

/// A file with the sum of earlier pieces of a self-test, so that a complete one can be run in several sittings.
struct SelfTestPieces {
    let path: String

    /// Reads the file; nil if there is none. An unusable file ends the command with a one-line error.
    func read() throws -> SelfTestReport? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let bytes = try InputFile.opening(path).contents()
        guard let report = try? JSONDecoder().decode(SelfTestReport.self, from: Data(bytes)) else {
            throw CommandError.unusable("\(path) is not a report of 'daybook bench --self-test'. Name another file.")
        }
        return report
    }

    /// Replaces the file.
    func write(_ report: SelfTestReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try AtomicFile.replace(path, with: Array(try encoder.encode(report)) + [UInt8(ascii: "\n")])
    }
}
