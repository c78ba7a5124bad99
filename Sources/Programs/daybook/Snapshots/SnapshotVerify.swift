import ArgumentParser
import Daybook

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
            return try SnapshotReport.tell(summary, asJSON: options.json, isVerification: true)
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
