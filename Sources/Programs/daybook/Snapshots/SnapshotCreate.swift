import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

/// `daybook snapshot create`
struct SnapshotCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Writes a snapshot of the store, and reads it back before it says done.",
        discussion: """
            The file appears whole or not at all, readable only for you. Others may go on using the store meanwhile. With \
            --since it holds only what changed after an earlier snapshot of the same store, which is then needed to \
            restore it; both stand best in one folder.

            Examples:
              daybook snapshot create                    # daybook-YYYY-MM-DDTHHMMSSZ.snapshot in this folder
              daybook snapshot create ~/backups --level 19
              daybook snapshot create ~/backups --since ~/backups/daybook-2026-02-10T091500Z.snapshot
              daybook snapshot create ~/backups --encrypt --passphrase-file ~/.backup-passphrase
            """)

    @Argument(
        help: "The file, or a folder for a file named by the moment; '-' is standard output.", completion: .file())
    var file = "."

    @Option(help: ArgumentHelp("How hard to compress, from 1 to 19.", valueName: "n"))
    var level = 3

    @Option(
        help: ArgumentHelp("An earlier snapshot: only what changed since is written.", valueName: "snapshot"),
        completion: .file())
    var since: String?

    @Flag(help: "Encrypts it with a passphrase. --passphrase-file does so too.")
    var encrypt = false

    @Flag(help: "Replaces the file if it exists.")
    var force = false

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...19).contains(level) else { throw ValidationError("--level must be from 1 to 19.") }
        guard !file.isEmpty else { throw ValidationError("The file needs a name. Name one, or a folder.") }
    }

    func run() throws {
        let session = try options.session()
        var how = SnapshotOptions(level: level, overwrite: force)
        how.since = since
        // A snapshot of changes has the passphrase of the one that it continues, so that one opens both.
        if let since { how.passphrase = try passphrase.existing(for: since) }
        // Whoever gives a passphrase does not expect a file that everybody can read.
        if how.passphrase == nil, encrypt || passphrase.passphraseFile != nil { how.passphrase = try passphrase.new() }
        Interruption.begin()
        let line = ProgressLine("Writing")
        defer { line.end() }
        how.progress = { progress in
            try Interruption.check()
            line.update(progress)
        }
        let summary = try session.withReader { daybook in
            file == "-"
                ? try print(daybook, how)
                : try daybook.archive.snapshot(to: path(at: daybook.context.clock.wall), options: how)
        }
        guard let summary else { throw CommandError.noStore(path: session.path) }
        line.end()
        if file == "-" { return }
        try SnapshotReport.write(summary, asJSON: options.json)
    }

    private func path(at instant: Instant) -> String {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder else { return file }
        let name = SnapshotFile.name(at: instant)
        if file == "." { return name }
        return file.hasSuffix("/") ? file + name : "\(file)/\(name)"
    }

    /// It has to be whole and verified before its first byte goes out, so it lies in a file of its own until then.
    private func print(_ daybook: DaybookStore, _ how: SnapshotOptions) throws -> SnapshotSummary {
        let folder = ScratchFolder.path(for: "snapshot")
        try ScratchFolder.create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/standard-output.snapshot"
        let summary = try daybook.archive.snapshot(to: path, options: how)
        let input = try InputFile.opening(path)
        // Whatever ends the program from here on leaves nothing behind.
        try? FileManager.default.removeItem(atPath: folder)
        while true {
            try Interruption.check()
            let chunk = try input.chunk()
            if chunk.isEmpty { return summary }
            try Output.standard.write(chunk)
        }
    }
}
