import ArgumentParser
import CommandSupport
import Daybook
import Glibc

/// The source of the passphrase of an encrypted snapshot: a file or a person, but never an argument or a variable, which
/// other users of the machine can see.
struct PassphraseOptions: ParsableArguments {
    /// A longer file is another one, named by mistake.
    private static let byteLimit = 64 << 10

    @Option(
        help: ArgumentHelp("A file with the passphrase. Default: ask for it.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    /// Returns the passphrase of an existing snapshot; nil when none was given and it needs none. It is asked for only when
    /// the snapshot, or one that it continues, is encrypted.
    func existing(for snapshot: String) throws -> Passphrase? {
        if let passphrase = try ofFile() { return passphrase }
        return try SnapshotFile.needsPassphrase(snapshot) ? ask("Passphrase: ") : nil
    }

    /// Returns the passphrase of snapshots that are encrypted; nil when none was given and there is no terminal to ask.
    func ifPossible() throws -> Passphrase? {
        if let passphrase = try ofFile() { return passphrase }
        guard let line = try HiddenLine.read(asking: "Passphrase: ") else { return nil }
        return try passphrase(from: line)
    }

    /// Returns the passphrase of a new snapshot, typed twice: a typing error would lock the owner out.
    func new() throws -> Passphrase {
        if let passphrase = try ofFile() { return passphrase }
        let first = try ask("New passphrase: ")
        guard try ask("Again: ") == first else {
            throw CommandError.usage("The two passphrases are not the same. Try again, or use --passphrase-file.")
        }
        return first
    }

    private func ofFile() throws -> Passphrase? {
        guard let passphraseFile else { return nil }
        let input = try InputFile.opening(passphraseFile)
        var content: [UInt8] = []
        while true {
            let chunk = try input.chunk()
            if chunk.isEmpty { break }
            content += chunk
            guard content.count <= Self.byteLimit else {
                throw CommandError.unusable(
                    "\(passphraseFile) is longer than 64 KiB. Name the file with the passphrase.")
            }
        }
        guard let passphrase = Passphrase(fileContent: content) else {
            throw CommandError.unusable("\(passphraseFile) is empty. Write the passphrase into it.")
        }
        return passphrase
    }

    private func ask(_ question: String) throws -> Passphrase {
        guard let line = try HiddenLine.read(asking: question) else {
            throw CommandError.usage("There is no terminal to ask for the passphrase. Use --passphrase-file.")
        }
        return try passphrase(from: line)
    }

    private func passphrase(from line: [UInt8]) throws -> Passphrase {
        guard let passphrase = Passphrase(line) else {
            throw CommandError.usage("The passphrase is empty. Try again, or use --passphrase-file.")
        }
        return passphrase
    }
}

/// Input from the terminal that is not echoed.
enum HiddenLine {
    /// Asks on the terminal, also if the standard streams are redirected; returns nil if there is none.
    ///
    /// - Throws: `finished(.interrupted)` on Ctrl-C. The signal itself is disabled, since it would end the program with the
    ///   echo still off.
    static func read(asking question: String) throws -> [UInt8]? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { return nil }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // The terminal delivers lines; this makes Ctrl-C end one as well, so that it arrives at once.
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
    /// The character that interrupts a program, usually Ctrl-C.
    fileprivate var interruptCharacter: UInt8 { c_cc.0 }

    /// A character that ends a line besides a line feed.
    fileprivate var endOfLine: UInt8 {
        get { c_cc.11 }
        set { c_cc.11 = newValue }
    }
}
