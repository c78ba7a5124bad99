import ArgumentParser
import CommandSupport
import Daybook
import Glibc

/// Where the passphrase of an encrypted snapshot comes from: a file, or a person. Never an argument or a variable, which
/// others on the machine can see.
struct PassphraseOptions: ParsableArguments {
    /// What is longer is another file, named by mistake.
    private static let byteLimit = 64 << 10

    @Option(
        help: ArgumentHelp("A file that holds the passphrase. Default: it is asked for.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    /// The passphrase of a snapshot that is there; nil when none was given and it needs none. It is asked for only when the
    /// snapshot is known to be encrypted.
    func existing(for snapshot: String) throws -> Passphrase? {
        if let passphrase = try ofFile() { return passphrase }
        return try SnapshotFile.isEncrypted(snapshot) ? ask("Passphrase: ") : nil
    }

    /// The passphrase of snapshots whose encryption was found already; nil when none was given and nobody is there to ask.
    func ifPossible() throws -> Passphrase? {
        if let passphrase = try ofFile() { return passphrase }
        guard let line = try HiddenLine.read(asking: "Passphrase: ") else { return nil }
        return try passphrase(from: line)
    }

    /// The passphrase of a snapshot to be made, typed twice: one that nobody can repeat would lock the owner out.
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
                throw CommandError.unusable("\(passphraseFile) is longer than 64 KiB; name the file of the passphrase.")
            }
        }
        guard let passphrase = Passphrase(fileContent: content) else {
            throw CommandError.unusable("\(passphraseFile) is empty; write the passphrase into it.")
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
