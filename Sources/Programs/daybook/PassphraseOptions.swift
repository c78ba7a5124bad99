import ArgumentParser
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
