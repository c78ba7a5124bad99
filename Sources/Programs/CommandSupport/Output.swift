import Daybook
import FileSystem
import FoundationEssentials
import SystemErrors

/// Why standard output could not be written.
package enum OutputError: Error {
    /// The other end of the pipe was closed.
    case readerIsGone
    /// The system refused, with this error code.
    case refused(code: Int32)

    /// The error as code that throws errors of files has it.
    package var fileError: FileError {
        switch self {
        case .readerIsGone: FileError(code: SystemCondition.brokenPipe.code, path: Self.path)
        case .refused(let code): FileError(code: code, path: Self.path)
        }
    }

    private static let path = "standard output"
}

/// A stream that a command writes to. Writes are not buffered, so that output is visible before anything else happens.
package struct Output {
    private let descriptor: FileDescriptor

    /// Standard output: the data that was asked for, and nothing else.
    package static let standard = Output(descriptor: .standardOutput)
    /// Standard error: messages about the work.
    private static let messages = Output(descriptor: .standardError)

    /// Writes one line to standard error.
    package static func report(_ message: String, as program: String = "daybook") {
        // If even this fails, only the exit code is left.
        try? messages.write("\(program): \(VisibleText.of(message))\n")
    }

    /// Writes a line without the program's name to standard error, such as one of a list that follows a message.
    package static func reportDetail(_ line: String) {
        try? messages.write("  \(VisibleText.of(line))\n")
    }

    /// Writes text.
    package func write(_ text: String) throws(OutputError) {
        try write(Array(text.utf8))
    }

    /// Writes all bytes, in as many calls as that takes.
    package func write(_ bytes: [UInt8]) throws(OutputError) {
        do throws(SystemCondition) {
            try descriptor.write(bytes)
        } catch {
            throw error == .brokenPipe ? .readerIsGone : .refused(code: error.code)
        }
    }

    /// Writes a value as JSON and a line break: indented on a terminal, on one line everywhere else.
    package func json(_ value: some Encodable) throws {
        let isTerminal = Terminal.standardOutput.isTerminal
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isTerminal { encoder.outputFormatting.insert(.prettyPrinted) }
        let bytes = Array(try encoder.encode(value)) + [0x0A]
        try write(isTerminal ? VisibleText.escapingControls(inJSON: bytes) : bytes)
    }

    /// Writes one JSON value and a line break: indented on a terminal, on one line everywhere else.
    package func json(_ body: (inout JSONWriter) -> Void) throws(OutputError) {
        let isTerminal = Terminal.standardOutput.isTerminal
        var writer = JSONWriter(isTerminal ? .pretty : .compact)
        body(&writer)
        writer.newline()
        try write(isTerminal ? VisibleText.escapingControls(inJSON: writer.bytes) : writer.bytes)
    }
}
