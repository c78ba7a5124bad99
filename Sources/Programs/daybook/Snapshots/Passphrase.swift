import ArgumentParser
import CommandSupport
import Daybook
import FileSystem

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
    /// - Throws: `finished(.interrupted)` on Ctrl-C.
    static func read(asking question: String) throws -> [UInt8]? {
        guard let terminal = TerminalDevice() else { return nil }
        defer { terminal.close() }
        switch terminal.askHidden(question) {
        case .line(let line): return line
        case .interruption: throw CommandError.finished(.interrupted)
        case nil: return nil
        }
    }
}
