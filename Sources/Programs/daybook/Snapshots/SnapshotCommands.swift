import ArgumentParser

/// `daybook snapshot`
struct SnapshotCommands: AsyncParsableCommand {
    static let name = "snapshot"

    /// The commands below it, by their names.
    static let commands: KeyValuePairs<String, any ParsableCommand.Type> = [
        "create": SnapshotCreate.self,
        "list": SnapshotList.self,
        "verify": SnapshotVerify.self,
        "restore": SnapshotRestore.self,
        "prune": SnapshotPrune.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Keeps small, verified copies of the whole store, and brings them back.",
        discussion: """
            Examples:
              daybook snapshot create ~/backups
              daybook snapshot create ~/backups --since ~/backups/daybook-2026-02-10T091500Z.snapshot
              daybook snapshot list ~/backups
              daybook snapshot verify ~/backups/daybook-2026-02-10T091500Z.snapshot
              daybook snapshot restore ~/backups/daybook-2026-02-10T091500Z.snapshot --to ~/restored
              daybook snapshot prune ~/backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12
            """,
        subcommands: commands.map(\.value))
}
