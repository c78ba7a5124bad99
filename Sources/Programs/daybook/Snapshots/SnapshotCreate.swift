import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

struct SnapshotCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Write a snapshot of the store and verify it.",
        discussion: """
            The file appears complete or not at all, and only you can read it. Other programs can use the store meanwhile. \
            With --since it contains only the changes after an earlier snapshot of the same store, which is then needed \
            to restore it; keep both in one folder. The new file is read back with all that it continues; if it could \
            not be restored from its place, none is written and the command exits with 1. --force does not replace a \
            snapshot that another one in the folder needs.

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
        help: ArgumentHelp("Write only what changed since an earlier snapshot.", valueName: "snapshot"),
        completion: .file())
    var since: String?

    @Flag(help: "Encrypt it with a passphrase. --passphrase-file does so as well.")
    var encrypt = false

    @Flag(help: "Replace the file if it exists.")
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
        how.since = since.map { URL(filePath: $0) }
        // An incremental snapshot has the passphrase of its base, so that one passphrase opens both.
        if let since { how.passphrase = try passphrase.existing(for: since) }
        // A passphrase file implies encryption.
        if how.passphrase == nil, encrypt || passphrase.passphraseFile != nil { how.passphrase = try passphrase.new() }
        Interruption.begin()
        let line = ProgressLine("Writing")
        defer { line.end() }
        how.progress = { progress in
            try Interruption.check()
            line.update(progress)
        }
        let summary: SnapshotSummary?
        do {
            summary = try session.withReader { daybook in
                file == "-"
                    ? try print(daybook, how)
                    : try daybook.files.snapshot(to: path(at: daybook.context.clock.wall), options: how)
            }
        } catch let error as FileError where error.isDamage {
            // It could not be restored.
            throw CommandError.reported(.checkFailed, error.description)
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

    /// Writes it to a temporary file first: it must be complete and verified before its first byte goes out.
    private func print(_ daybook: DaybookStore, _ how: SnapshotOptions) throws -> SnapshotSummary {
        let folder = try ScratchFolder.make(for: "snapshot")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/standard-output.snapshot"
        // It will be kept elsewhere; what it continues is where the caller has it.
        let bases = since.map { SnapshotBases(in: FolderEntry.folder(of: $0)) }
        let summary = try daybook.files.snapshot(to: path, options: how, bases: bases)
        let input = try InputFile.opening(path)
        // Removed already, so that nothing stays behind however the program ends.
        try? FileManager.default.removeItem(atPath: folder)
        while true {
            try Interruption.check()
            let chunk = try input.chunk()
            if chunk.isEmpty { return summary }
            try Output.standard.write(chunk)
        }
    }
}
