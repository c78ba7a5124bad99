import Glibc
import KeyValue

/// A command of this program that runs in a child process: a damaged page can end the process that reads it with a
/// signal, and that is a finding to be told, not a crash to be suffered.
enum ChildCommand {
    enum Outcome {
        /// It did its work and wrote this as its last line.
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
            // Its messages for people come before its result, since what it writes to either place arrives in order.
            let lines = output.split(separator: UInt8(ascii: "\n"))
            for message in lines.dropLast() { Output.tell(words(of: message)) }
            return .done(lines.last.map(Array.init) ?? [])
        case .exited(let code):
            throw CommandError.told(
                ProgramExit(rawValue: code) ?? .unusable,
                output.split(separator: UInt8(ascii: "\n")).last.map(words) ?? "The work ended with code \(code).")
        case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal):
            throw CommandError.finished(.interrupted)
        case .killed(let signal):
            return .killed(signal: signal)
        }
    }

    /// What a message says, without the program's name.
    private static func words(of message: ArraySlice<UInt8>) -> String {
        let text = String(decoding: message, as: UTF8.self)
        return text.hasPrefix("daybook: ") ? String(text.dropFirst("daybook: ".count)) : text
    }
}
