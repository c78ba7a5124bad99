import ArgumentParser
import CommandSupport
import Daybook

struct SnapshotPrune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old snapshots once those that stay are verified.",
        discussion: """
            Of each of the latest days, weeks and months that have a snapshot, the newest stays; so do the newest of all \
            and every snapshot that one of these needs to be restored. The snapshots of each store are pruned \
            separately. Files that cannot be read, or whose base is missing, are not touched.

            Snapshots that are dated later than now do not count and stay: their dates are wrong, or the clock is. The \
            snapshot with the highest sequence number of its store is never removed, whatever its date.

            Before anything is removed, every byte of the snapshots that stay is read and checked as 'snapshot verify' \
            does, with their bases. A snapshot that fails is kept and reported, and another one is chosen instead; the \
            command then exits with 1. The passphrase of encrypted snapshots is asked for; without a terminal and \
            --passphrase-file they count as not verified. A dry run verifies as well, with the same exit code.

            Examples:
              daybook snapshot prune ~/backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12 --dry-run
              daybook snapshot prune ~/backups --keep-daily 30 --passphrase-file ~/.backup-passphrase
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("Keep one snapshot for each of the last n days.", valueName: "n"))
    var keepDaily = 0

    @Option(help: ArgumentHelp("Keep one snapshot for each of the last n weeks.", valueName: "n"))
    var keepWeekly = 0

    @Option(help: ArgumentHelp("Keep one snapshot for each of the last n months.", valueName: "n"))
    var keepMonthly = 0

    @Flag(help: "Only report what would happen.")
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
        if !dryRun { try plan.perform() }
        try report(plan)
        if !plan.unverified.isEmpty { throw CommandError.finished(.checkFailed) }
    }

    private func plan(_ retention: SnapshotRetention, _ context: Context) throws -> SnapshotPruning {
        Interruption.begin()
        let line = ProgressLine("Verifying")
        defer { line.end() }
        return try SnapshotFolder(folder).plan(
            keeping: retention, now: context.clock.wall, zone: context.zone, weekStart: context.weekStart,
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
                return "Not verified, so it is kept and replaces no other: \(text)\n"
            }
            let later = plan.later.map {
                "Later than now, so it is kept and does not count: \(VisibleText.of($0.name))\n"
            }
            let incomplete = plan.incomplete.map {
                "Kept, but cannot be restored without a snapshot that is not here: \(VisibleText.of($0.name))\n"
            }
            let counts = """
                \(verb) \(plan.removed.count), kept \(plan.kept.count), later than now \(plan.later.count), \
                not verified \(plan.unverified.count), incomplete \(plan.incomplete.count), \
                not readable \(plan.unreadable.count)

                """
            return try Output.standard.write((removed + later + unverified + incomplete).joined() + counts)
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("ok", plan.unverified.isEmpty)
                writer.field("dryRun", dryRun)
                writer.field("removed", plan.removed.map(\.name))
                writer.field("kept", plan.kept.map(\.name))
                writer.field("later", plan.later.map(\.name))
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
