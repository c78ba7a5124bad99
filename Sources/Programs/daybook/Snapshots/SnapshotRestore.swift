import ArgumentParser
import CommandSupport
import Daybook

struct SnapshotRestore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a snapshot into a new store.",
        discussion: """
            The new store is built and checked before anything else is touched. An existing store is not changed unless \
            --force is given; the new one then replaces it, and the old one is kept under another name. An incremental \
            snapshot needs its bases in the same folder. Close programs that have the old store open.

            Examples:
              daybook snapshot restore ~/backups/daybook-2026-02-10T091500Z.snapshot --to ~/restored
              daybook snapshot restore backup.snapshot --to ~/.local/share/daybook --force
            """)

    @Argument(help: "The snapshot.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The folder of the new store.", valueName: "dir"), completion: .directory)
    var to: String

    @Flag(help: "Replace an existing store, which is kept under another name.")
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
        let report: RestoreReport
        do {
            report = try StoreFiles.restore(file, to: to, context: context, options: how)
        } catch FileError.targetExists(let path) {
            throw CommandError.notAllowed(
                "\(path) exists and was not changed. Choose another folder, or replace the store with --force.")
        }
        line.end()
        guard options.json else {
            let aside = report.replaced.map { "; the previous store is \(VisibleText.of($0))" } ?? ""
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

struct SnapshotVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read a snapshot and check every record in it without restoring it.",
        discussion: """
            Exits with 1 if it could not be restored from where it is. An incremental snapshot is read with the \
            snapshots that it continues, which must be in the same folder.

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
