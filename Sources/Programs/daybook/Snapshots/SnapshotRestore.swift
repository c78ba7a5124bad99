import ArgumentParser
import CommandSupport
import Daybook

/// `daybook snapshot restore`
struct SnapshotRestore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a store of a snapshot.",
        discussion: """
            The new store is built and checked beside its place before anything else is touched. A store that is in the \
            place stays as it is unless --force is given; then the new one takes its place and the old one is kept under \
            another name. A snapshot of changes needs those it continues in the same folder. Close programs that have \
            the old store open.

            Examples:
              daybook snapshot restore ~/backups/daybook-2026-02-10T091500Z.snapshot --to ~/restored
              daybook snapshot restore backup.snapshot --to ~/.local/share/daybook --force
            """)

    @Argument(help: "The snapshot.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The folder of the store to make.", valueName: "dir"), completion: .directory)
    var to: String

    @Flag(help: "Takes the place of a store that is there, which is kept under another name.")
    var force = false

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if to.isEmpty { throw ValidationError("--to needs a folder. Name one.") }
    }

    func run() throws {
        let context = try options.session().context
        var how = RestoreOptions(replacing: force)
        how.passphrase = try passphrase.existing(for: file)
        Interruption.begin()
        let line = ProgressLine("Restoring")
        defer { line.end() }
        how.progress = { progress in
            try Interruption.check()
            line.update(progress)
        }
        let report = try DaybookStore.restore(file, to: to, context: context, options: how)
        line.end()
        guard options.json else {
            let aside = report.replaced.map { "; the store that was there is \(VisibleText.of($0))" } ?? ""
            return try Output.standard.write(
                "Restored \(report.records) records to \(VisibleText.of(to)), all checked\(aside)\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("store", to)
                writer.field("records", report.records)
                writer.field("sequence", report.sequence)
                writer.field("replaced", report.replaced)
            }
        }
    }
}

/// `daybook snapshot verify`
struct SnapshotVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads all of a snapshot and checks every record in it, without restoring it.",
        discussion: """
            Exits with 1 if anything is wrong. Of a snapshot of changes it also says whether those that it needs are in \
            the same folder.

            Examples:
              daybook snapshot verify ~/backups/daybook-2026-02-10T091500Z.snapshot
              daybook snapshot verify backup.snapshot --passphrase-file ~/.backup-passphrase
            """)

    @Argument(help: "The snapshot.", completion: .file())
    var file: String

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let line = ProgressLine("Verifying")
        defer { line.end() }
        let problem: String
        do {
            let key = try passphrase.existing(for: file)
            Interruption.begin()
            let summary = try SnapshotFile.verify(file, passphrase: key) { done, total in
                try Interruption.check()
                line.update(FileProgress(done: done, total: total))
            }
            line.end()
            return try SnapshotReport.write(summary, asJSON: options.json, isVerification: true)
        } catch let error as FileError where error.isDamage {
            problem = error.description
        }
        line.end()
        if options.json {
            try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("ok", false)
                    writer.field("file", file)
                    writer.field("problems", [problem])
                }
            }
        } else {
            try Output.standard.write(VisibleText.of(problem) + "\n")
        }
        throw CommandError.finished(.checkFailed)
    }
}
