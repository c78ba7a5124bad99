import Daybook
import Glibc

/// Why standard output could not be written.
enum OutputError: Error {
    /// The other end of the pipe was closed.
    case readerIsGone
    /// The system's error code.
    case refused(code: Int32)
}

/// Where a command writes: bytes go out at once, so that what was written is seen before anything else happens.
struct Output {
    private let descriptor: Int32

    /// Standard output: what was asked for, and nothing else.
    static let standard = Output(descriptor: STDOUT_FILENO)
    /// Standard error: everything that is said about it.
    private static let messages = Output(descriptor: STDERR_FILENO)

    /// Writes one line about what happened, for a person.
    static func tell(_ message: String) {
        // Where even that cannot be said, the exit code has to do.
        try? messages.write("daybook: \(VisibleText.of(message))\n")
    }

    /// Writes text.
    func write(_ text: String) throws(OutputError) {
        try write(Array(text.utf8))
    }

    /// Writes all bytes, however many calls that takes.
    func write(_ bytes: [UInt8]) throws(OutputError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest, rest.count)
            if count >= 0 {
                rest.removeFirst(count)
            } else if errno == EPIPE {
                throw .readerIsGone
            } else if errno != EINTR {
                throw .refused(code: errno)
            }
        }
    }

    /// Writes one JSON value and the end of its line: laid out on a terminal, in one line everywhere else.
    func json(_ body: (inout JSONWriter) -> Void) throws(OutputError) {
        let isTerminal = Terminal.standardOutput.isTerminal
        var writer = JSONWriter(isTerminal ? .pretty : .compact)
        body(&writer)
        writer.newline()
        try write(isTerminal ? VisibleText.escapingControls(inJSON: writer.bytes) : writer.bytes)
    }
}

extension OutputError {
    /// The same for work that knows only errors of files.
    var archiveError: FileError {
        switch self {
        case .readerIsGone: FileError(code: EPIPE, path: Self.path)
        case .refused(let code): FileError(code: code, path: Self.path)
        }
    }

    private static let path = "standard output"
}
