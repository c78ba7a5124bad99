import Glibc

/// The terminal of a process, whatever its standard streams are.
package struct TerminalDevice {
    private let descriptor: FileDescriptor

    /// Opens it; nil when there is none. Whoever opens it closes it.
    package init?() {
        guard let descriptor = try? FileDescriptor("/dev/tty", for: .readingAndWriting) else { return nil }
        self.descriptor = descriptor
    }

    package func close() { descriptor.close() }

    /// Writes a question and reads the line that answers it.
    package func ask(_ question: String) -> [UInt8] {
        try? descriptor.write(Array(question.utf8))
        return line { _ in false } ?? []
    }

    /// What was typed without echo.
    package enum HiddenAnswer {
        case line([UInt8])
        /// Ctrl-C. The signal itself is disabled, since it would end the program with the echo still off.
        case interruption
    }

    /// Writes a question and reads the line that answers it, which is not echoed; nil when the echo cannot be switched off.
    package func askHidden(_ question: String) -> HiddenAnswer? {
        var settings = termios()
        guard unsafe tcgetattr(descriptor.number, &settings) == 0 else { return nil }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // The terminal delivers lines; this makes Ctrl-C end one as well, so that it arrives at once.
        silent.endOfLine = settings.interruptCharacter
        unsafe tcsetattr(descriptor.number, TCSAFLUSH, &silent)
        defer {
            unsafe tcsetattr(descriptor.number, TCSAFLUSH, &settings)
            try? descriptor.write([UInt8(ascii: "\n")])
        }
        try? descriptor.write(Array(question.utf8))
        return line { $0 == settings.interruptCharacter }.map(HiddenAnswer.line) ?? .interruption
    }

    /// Reads a line; nil at a byte that ends all.
    private func line(endingAt isEnd: (UInt8) -> Bool) -> [UInt8]? {
        var line: [UInt8] = []
        var byte: [UInt8] = [0]
        while (try? descriptor.read(into: &byte)) == 1, byte[0] != UInt8(ascii: "\n") {
            if isEnd(byte[0]) { return nil }
            line.append(byte[0])
        }
        return line
    }
}

extension FileDescriptor {
    package static let standardOutput = FileDescriptor(STDOUT_FILENO)
    package static let standardError = FileDescriptor(STDERR_FILENO)

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(number) == 1 }

    /// The columns of a terminal; nil when it does not say.
    package var terminalWidth: Int? {
        var size = winsize()
        guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension termios {
    /// The character that interrupts a program, usually Ctrl-C.
    fileprivate var interruptCharacter: UInt8 { c_cc.0 }

    /// A character that ends a line besides a line feed.
    fileprivate var endOfLine: UInt8 {
        get { c_cc.11 }
        set { c_cc.11 = newValue }
    }
}
