import Glibc
import KeyValue

/// A command of this program that runs in a child process: a damaged page can end the process that reads it with a
/// signal, and that is a finding to be told, not a crash to be suffered.
enum ChildCommand {
    enum Outcome {
        /// It did its work and wrote this.
        case done([UInt8])
        /// A signal ended it.
        case killed(signal: Int32)
    }

    /// Runs a command on a store. What the child refuses is refused here in its words.
    static func run(_ command: String, on session: Session, _ more: [String] = []) throws -> Outcome {
        let (ending, output) = try ChildProcess.run(
            "/proc/self/exe", [command, "--in-process", "--zone", "UTC", "--store", session.path] + more)
        switch ending {
        case .exited(0):
            return .done(output)
        case .exited(let code):
            let text = String(decoding: output, as: UTF8.self).replacing("daybook: ", with: "", maxReplacements: 1)
            throw CommandError.told(
                ProgramExit(rawValue: code) ?? .unusable,
                text.split(separator: "\n").first.map(String.init) ?? "The work ended with code \(code).")
        case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal):
            throw CommandError.finished(.interrupted)
        case .killed(let signal):
            return .killed(signal: signal)
        }
    }
}
