import ArgumentParser
import Daybook
import Glibc

/// Where the passphrase of an encrypted snapshot comes from: a file, or a person. Never an argument or a variable, which
/// others on the machine can see.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file that holds the passphrase. Default: it is asked for.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    /// The passphrase of a snapshot that is there.
    func existing() throws -> Passphrase {
        try ofFile() ?? ask("Passphrase: ")
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
        let content = try InputFile.opening(passphraseFile).contents()
        guard let passphrase = Passphrase(fileContent: content) else {
            throw CommandError.unusable("\(passphraseFile) is empty; write the passphrase into it.")
        }
        return passphrase
    }

    private func ask(_ question: String) throws -> Passphrase {
        guard let line = try HiddenLine.read(asking: question) else {
            throw CommandError.usage("There is no terminal to ask for the passphrase. Use --passphrase-file.")
        }
        guard let passphrase = Passphrase(line) else {
            throw CommandError.usage("The passphrase is empty. Try again, or use --passphrase-file.")
        }
        return passphrase
    }
}
