import ArgumentParser
import Daybook

/// `daybook snapshot list`
struct SnapshotList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the snapshots in a folder, the oldest first.",
        discussion: """
            Only the beginning of each file is read; 'snapshot verify' reads all of one.

            Examples:
              daybook snapshot list ~/backups
              daybook snapshot list ~/backups --json
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder = "."

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let listing = try SnapshotFolder(folder).listing()
        let zone = try options.session().context.zone
        guard options.json else {
            return try Output.standard.write(text(of: listing, in: zone))
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.array("snapshots") { writer in
                    for entry in listing { writer.object { SnapshotReport.write(entry, to: &$0) } }
                }
            }
        }
    }

    private func text(of listing: [SnapshotListing], in zone: Zone) -> String {
        if listing.isEmpty { return "There are no snapshots in \(VisibleText.of(folder))\n" }
        return listing.map { entry in
            let kind =
                switch entry.state {
                case .unreadable(let reason): "not readable: \(reason)"
                case .readable(let header) where header.isIncremental:
                    entry.base == nil
                        ? "changes since a snapshot that is not here" : "changes since \(entry.base ?? "")"
                case .readable: "whole"
                }
            let lock = entry.header?.isEncrypted == true ? ", encrypted" : ""
            let size = entry.bytes.asBytes
            return "\(VisibleText.of(entry.name))  \(size)  \(VisibleText.of(kind))\(lock)\n"
        }.joined()
    }
}
