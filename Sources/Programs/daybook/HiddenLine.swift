import Glibc

/// A line that a person types without its being shown.
enum HiddenLine {
    /// Asks on the terminal, whatever the standard streams are; nil where there is none.
    ///
    /// - Throws: `finished(.interrupted)` when the person gives up. The signal itself is held off, since it would end the
    ///   program and leave a terminal that shows nothing that is typed.
    static func read(asking question: String) throws -> [UInt8]? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { return nil }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // The terminal gives out whole lines: this character ends one as well, so that it is seen at once.
        silent.endOfLine = settings.interruptCharacter
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &settings)
            _ = write(terminal, "\n", 1)
        }
        _ = write(terminal, question, question.utf8.count)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(terminal, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            if byte == settings.interruptCharacter { throw CommandError.finished(.interrupted) }
            line.append(byte)
        }
        return line
    }
}

extension termios {
    /// What is typed to interrupt a program, Ctrl-C as a rule.
    fileprivate var interruptCharacter: UInt8 { c_cc.0 }

    /// What ends a line besides a line feed.
    fileprivate var endOfLine: UInt8 {
        get { c_cc.11 }
        set { c_cc.11 = newValue }
    }
}
