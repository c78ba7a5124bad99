import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Processes

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every task, index, count and change of the store without changing anything.",
        discussion: """
            Prints all problems, and exits with 1 if there are any. With --incremental each call checks the next part \
            of a store, about 16 MB, which takes a moment, and records its position in the store: for something that \
            runs every hour. It does not compare counts.

            Examples:
              daybook verify
              daybook verify --json
              daybook verify --incremental
            """)

    @Flag(help: "Check the next part only, and record the position.")
    var incremental = false

    /// Does the work, in a process that damaged pages may end.
    @Flag(help: .hidden)
    var inProcess = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        if inProcess {
            let findings = try incremental ? Findings.verifyingNextPart(session) : Findings.verifying(session)
            var writer = JSONWriter()
            findings.write(to: &writer)
            return try Output.standard.write(writer.bytes)
        }
        let findings = try Findings.ofChild(verifying: session, isIncremental: incremental)
        if options.json {
            try Output.standard.json { findings.write(to: &$0) }
        } else {
            try Output.standard.write(findings.text)
        }
        if !findings.ok { throw CommandError.finished(.checkFailed) }
    }
}

/// The findings of a verification.
private struct Findings: Decodable {
    var ok: Bool
    var records: Int? = 0
    var indexEntries: Int? = 0
    var problems: [String]
    /// The progress of a pass over a part of the store: the entries checked so far, and whether it has ended.
    var entries: Int?
    var isAtEnd: Bool?

    init(_ report: ScrubReport) {
        ok = report.problems.isEmpty
        problems = report.problems
        entries = report.progress.entries
        isAtEnd = report.isAtEnd
    }

    init(_ report: VerificationReport) {
        ok = report.isClean
        records = report.records
        indexEntries = report.indexEntries
        problems = report.problems
    }

    init(problem: String) {
        ok = false
        problems = [problem]
    }

    /// Verifies in this process.
    static func verifying(_ session: Session) throws -> Findings {
        try reportingDamage {
            guard let report = try session.withReader(changesNothing: true, { try $0.verify() }) else {
                throw CommandError.noStore(path: session.path)
            }
            return Findings(report)
        }
    }

    /// Checks the next part in this process.
    static func verifyingNextPart(_ session: Session) throws -> Findings {
        try reportingDamage {
            do {
                return Findings(try session.write { try $0.scrub(bytes: 16 << 20) })
            } catch RecordsError.engine(.storeNotFound) {
                throw CommandError.noStore(path: session.path)
            }
        }
    }

    /// Damage that prevents opening the store is also a finding.
    private static func reportingDamage(_ body: () throws -> Findings) throws -> Findings {
        do {
            return try body()
        } catch RecordsError.engine(.damaged(_, let detail)) {
            return Findings(problem: "data.mdb is damaged: \(detail)")
        } catch RecordsError.engine(.needsRepair) {
            return Findings(
                problem: "data.mdb: a program died opening the store; run daybook rebuild to repair the meta pages")
        } catch let error as RecordsError where error.isDamage {
            return Findings(problem: error.description)
        }
    }

    static func ofChild(verifying session: Session, isIncremental: Bool) throws -> Findings {
        switch try ChildCommand.run("verify", on: session, isIncremental ? ["--incremental"] : []) {
        case .done(let output):
            guard let findings = try? JSONDecoder().decode(Findings.self, from: Data(output)) else {
                return Findings(problem: "the verification gave no result")
            }
            return findings
        case .unreadablePage: return Findings(problem: "a page of data.mdb could not be read")
        case .killed(let signal):
            return Findings(problem: "the verification was ended by \(CrashMessage.advice(on: signal))")
        }
    }

    var text: String {
        let lines = problems.map { VisibleText.of($0) + "\n" }.joined()
        let result = ok ? "Everything is right" : "\(problems.count == 1 ? "1 problem" : "\(problems.count) problems")"
        if let entries, let isAtEnd {
            return lines + "\(result): \(entries) entries checked, \(isAtEnd ? "up to the end" : "more is left")\n"
        }
        return lines + "\(result): \(records ?? 0) records, \(indexEntries ?? 0) index entries checked\n"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", ok)
            if let entries, let isAtEnd {
                writer.field("entries", entries)
                writer.field("isAtEnd", isAtEnd)
            } else {
                writer.field("records", records ?? 0)
                writer.field("indexEntries", indexEntries ?? 0)
            }
            writer.field("problems", problems)
        }
    }
}

/// Runs a command of this program in a child process: a page that cannot be read ends the process that reads it, which is
/// then reported as a finding.
enum ChildCommand {
    enum Outcome {
        /// It succeeded, and this is its last line of output.
        case done([UInt8])
        /// A page of the store could not be read.
        case unreadablePage
        /// A signal ended it.
        case killed(signal: Int32)
    }

    /// Runs a command on a store. Errors of the child are thrown with its message.
    static func run(_ command: String, on session: Session, _ more: [String] = []) throws -> Outcome {
        let (ending, output) = try ChildProcess.run(
            "/proc/self/exe", [command, "--in-process", "--zone", "UTC", "--store", session.path] + more)
        switch ending {
        case .exited(0):
            // Messages come before the result, since both streams arrive in order.
            let lines = output.split(separator: UInt8(ascii: "\n"))
            for message in lines.dropLast() { Output.report(text(of: message)) }
            return .done(lines.last.map(Array.init) ?? [])
        case .exited(let code):
            let message = output.split(separator: UInt8(ascii: "\n")).last.map(text)
            if message == CrashMessage.unreadablePage { return .unreadablePage }
            throw CommandError.reported(
                ProgramExit(rawValue: code) ?? .unusable, message ?? "The work ended with code \(code).")
        case _ where ending.isInterruption:
            throw CommandError.finished(.interrupted)
        case .killed(let signal):
            return .killed(signal: signal)
        }
    }

    /// Returns a message without the program's name.
    private static func text(of message: ArraySlice<UInt8>) -> String {
        let text = String(decoding: message, as: UTF8.self)
        return text.hasPrefix("daybook: ") ? String(text.dropFirst("daybook: ".count)) : text
    }
}
