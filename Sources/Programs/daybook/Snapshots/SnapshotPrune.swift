import ArgumentParser
import CommandSupport
import Daybook

/// `daybook snapshot prune`
struct SnapshotPrune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes snapshots that are no longer wanted, once those that stay are verified.",
        discussion: """
            Of each of the latest days, weeks and months that have a snapshot, the newest stays; so do the newest of all, \
            and all that one of these needs to be restored. Each store's snapshots are judged by themselves. What cannot \
            be read, or lacks one that it continues, is left alone.

            Before anything of a store is removed, every byte of what stays in its place is read and checked, as \
            'snapshot verify' does, with all that it continues. A snapshot that does not pass stays, is reported, and \
            another one is chosen in its place; the command then exits with 1. For encrypted snapshots the passphrase is \
            asked for; where there is no terminal and no --passphrase-file, they count as not verified. --dry-run \
            verifies as well, and gives the same exit code.

            Examples:
              daybook snapshot prune ~/backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12 --dry-run
              daybook snapshot prune ~/backups --keep-daily 30 --passphrase-file ~/.backup-passphrase
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("For how many days one is kept.", valueName: "n"))
    var keepDaily = 0

    @Option(help: ArgumentHelp("For how many weeks one is kept.", valueName: "n"))
    var keepWeekly = 0

    @Option(help: ArgumentHelp("For how many months one is kept.", valueName: "n"))
    var keepMonthly = 0

    @Flag(help: "Only says what would happen.")
    var dryRun = false

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard min(keepDaily, keepWeekly, keepMonthly) >= 0, max(keepDaily, keepWeekly, keepMonthly) > 0 else {
            throw ValidationError("Give at least one of --keep-daily, --keep-weekly and --keep-monthly, above 0.")
        }
    }

    func run() throws {
        let context = try options.session().context
        let retention = SnapshotRetention(days: keepDaily, weeks: keepWeekly, months: keepMonthly)
        let plan = try plan(retention, context)
        if !dryRun { try plan.carryOut() }
        try report(plan)
        if !plan.unverified.isEmpty { throw CommandError.finished(.checkFailed) }
    }

    private func plan(_ retention: SnapshotRetention, _ context: Context) throws -> SnapshotPruning {
        Interruption.begin()
        let line = ProgressLine("Verifying")
        defer { line.end() }
        return try SnapshotFolder(folder).plan(
            keeping: retention, zone: context.zone, weekStart: context.weekStart,
            passphrase: try passphrase.ifPossible()
        ) { done, total in
            try Interruption.check()
            line.update(FileProgress(done: done, total: total))
        }
    }

    private func report(_ plan: SnapshotPruning) throws {
        guard options.json else {
            let verb = dryRun ? "Would remove" : "Removed"
            let removed = plan.removed.map { "\(verb) \(VisibleText.of($0.name))\n" }
            let unverified = plan.unverified.map { entry in
                let text = VisibleText.of("\(entry.snapshot.name): \(entry.problem)")
                return "Not verified, so it stays and replaces no other: \(text)\n"
            }
            let counts = """
                \(verb) \(plan.removed.count), kept \(plan.kept.count), not verified \(plan.unverified.count), \
                incomplete \(plan.incomplete.count), not readable \(plan.unreadable.count)

                """
            return try Output.standard.write((removed + unverified).joined() + counts)
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("ok", plan.unverified.isEmpty)
                writer.field("dryRun", dryRun)
                writer.field("removed", plan.removed.map(\.name))
                writer.field("kept", plan.kept.map(\.name))
                writer.array("unverified") { writer in
                    for entry in plan.unverified {
                        writer.object { writer in
                            writer.field("file", entry.snapshot.name)
                            writer.field("problem", entry.problem.description)
                        }
                    }
                }
                writer.field("incomplete", plan.incomplete.map(\.name))
                writer.field("unreadable", plan.unreadable.map(\.name))
            }
        }
    }
}
