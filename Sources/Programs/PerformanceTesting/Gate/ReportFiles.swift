import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Measuring

/// Options that select what a run of a gate is compared with.
package struct BenchReferences: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Compare the counts with a file; any difference fails.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    package var baseline: String?

    @Option(
        help: ArgumentHelp("Write the counts to a file as the new baseline.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    package var writeBaseline: String?

    @Option(
        help: ArgumentHelp("Compare with another build of this program, interleaved.", valueName: "program"),
        completion: .file())
    package var against: String?

    package var areGiven: Bool { baseline != nil || writeBaseline != nil || against != nil }

    /// Checks them beside the other options of a gate.
    package func validate(countsOnly: Bool, checks: Bool) throws {
        if countsOnly, against != nil { throw ValidationError("--counts-only cannot be combined with --against.") }
        if countsOnly, checks, baseline == nil, writeBaseline == nil {
            throw ValidationError("--counts-only --check needs a --baseline.")
        }
    }

    package init() {}
}

/// Options that write the report of a gate to files.
package struct BenchOutputs: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write the report as Markdown, for a pull request or a page.", valueName: "file"),
        completion: .file()
    )
    package var markdown: String?

    @Option(
        help: ArgumentHelp("Write the report as an HTML page with charts.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    package var html: String?

    package var areGiven: Bool { markdown != nil || html != nil }

    package init() {}

    /// Writes the report to the files, and to standard output.
    package func write(_ report: BenchReport, asJSON: Bool) throws {
        if let markdown { try write(BenchMarkdown(report: report).text, to: markdown) }
        if let html { try write(BenchPage(report: report).html, to: html) }
        if asJSON {
            try Output.standard.json { report.write(to: &$0) }
        } else {
            try Output.standard.write(BenchTable(report: report).text)
        }
    }

    /// Writes a text to a file as a whole.
    package func write(_ text: String, to path: String) throws {
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
package struct BaselineFile {
    private let path: String

    package init(path: String) { self.path = path }

    /// Reads the file. A missing or unusable file ends the command with a one-line error.
    package func read() throws -> Baseline {
        let bytes = try InputFile.opening(path).contents()
        do {
            return try Baseline(reading: bytes)
        } catch {
            throw CommandError.unusable("\(path) cannot be used. \(error)")
        }
    }

    /// Writes the counts of a run. Counts that the run lacks are copied from the existing file.
    package func write(_ run: CountedRun) throws {
        let older = FileManager.default.fileExists(atPath: path) ? try read() : nil
        try AtomicFile.replace(path, with: try Baseline(run, keeping: older).contents())
    }
}

/// A file with the sum of earlier pieces of a self-test, so that a complete one can be run in several sittings.
package struct SelfTestPieces {
    private let path: String

    package init(path: String) { self.path = path }

    /// Reads the file; nil if there is none. An unusable file ends the command with a one-line error.
    package func read() throws -> SelfTestReport? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let bytes = try InputFile.opening(path).contents()
        guard let report = try? JSONDecoder().decode(SelfTestReport.self, from: Data(bytes)) else {
            throw CommandError.unusable("\(path) is not a report of --self-test. Name another file.")
        }
        return report
    }

    /// Replaces the file.
    package func write(_ report: SelfTestReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try AtomicFile.replace(path, with: Array(try encoder.encode(report)) + [UInt8(ascii: "\n")])
    }
}

extension SelfTestReport {
    /// Writes the report, which names those of all operations that were not compared.
    ///
    /// - Throws: an error that ends the program with 1 if the gate is not reliable.
    package func write(of operations: [String], asJSON: Bool) throws {
        if asJSON {
            try Output.standard.json(self)
        } else {
            try Output.standard.write(lines(of: operations).joined(separator: "\n") + "\n")
        }
        if !isGood { throw CommandError.finished(.checkFailed) }
    }
}

extension GateVerdict {
    /// Throws an error that ends the program with its code, unless everything holds.
    package func check() throws {
        guard let code = ProgramExit(rawValue: exitCode), code != .done else { return }
        throw CommandError.finished(code)
    }
}
