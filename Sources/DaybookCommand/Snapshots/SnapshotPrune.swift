import ArgumentParser
import Daybook

/// `daybook snapshot prune`
struct SnapshotPrune: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes snapshots that are no longer wanted.",
        discussion: """
            Of each of the latest days, weeks and months that have a snapshot, the newest stays; so do the newest of all, \
            and all that one of these needs to be restored. Each store's snapshots are judged by themselves. What cannot \
            be read, or lacks one that it goes on from, is left alone.

            Examples:
              daybook snapshot prune ~/backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12 --dry-run
              daybook snapshot prune ~/backups --keep-daily 30
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

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard min(keepDaily, keepWeekly, keepMonthly) >= 0, max(keepDaily, keepWeekly, keepMonthly) > 0 else {
            throw ValidationError("Give at least one of --keep-daily, --keep-weekly and --keep-monthly, above 0.")
        }
    }

    func run() throws {
        let context = try options.session().context
        let retention = SnapshotRetention(days: keepDaily, weeks: keepWeekly, months: keepMonthly)
        let plan = try SnapshotFolder(folder).plan(
            keeping: retention, zone: context.zone, weekStart: context.weekStart)
        if !dryRun { try plan.carryOut() }
        guard options.json else {
            let verb = dryRun ? "Would remove" : "Removed"
            let lines = plan.removed.map { "\(verb) \(VisibleText.of($0.name))\n" }.joined()
            return try Output.standard.write(
                lines
                    + "\(verb) \(plan.removed.count), kept \(plan.kept.count), incomplete \(plan.incomplete.count), not readable \(plan.unreadable.count)\n"
            )
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("dryRun", dryRun)
                writer.field("removed", plan.removed.map(\.name))
                writer.field("kept", plan.kept.map(\.name))
                writer.field("incomplete", plan.incomplete.map(\.name))
                writer.field("unreadable", plan.unreadable.map(\.name))
            }
        }
    }
}
