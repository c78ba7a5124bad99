import ArgumentParser
import CommandSupport
import Daybook

struct SnapshotCommands: AsyncParsableCommand {
    /// The subcommands by name.
    static let commands: CommandTable = [
        "create": SnapshotCreate.self,
        "list": SnapshotList.self,
        "verify": SnapshotVerify.self,
        "restore": SnapshotRestore.self,
        "prune": SnapshotPrune.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Create, verify and restore small copies of the whole store.",
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

struct SnapshotList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the snapshots in a folder, the oldest first.",
        discussion: """
            Only the beginning of each file is read; 'snapshot verify' reads all of a file.

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
                    entry.base.map {
                        "changes since \($0)" + (entry.isComplete ? "" : ", which needs a snapshot that is not here")
                    } ?? "changes since a snapshot that is not here"
                case .readable: "whole"
                }
            let lock = entry.header?.isEncrypted == true ? ", encrypted" : ""
            let size = entry.bytes.asBytes
            return "\(VisibleText.of(entry.name))  \(size)  \(VisibleText.of(kind))\(lock)\n"
        }.joined()
    }
}

/// Reports about snapshots.
enum SnapshotReport {
    /// Reports what was written or verified.
    static func write(_ summary: SnapshotSummary, asJSON: Bool, isVerification: Bool = false) throws {
        if asJSON {
            return try Output.standard.json { writer in
                writer.object { writer in
                    if isVerification { writer.field("ok", true) }
                    write(summary, to: &writer)
                }
            }
        }
        let manifest = summary.manifest
        var lines =
            "\(VisibleText.of(summary.path)): \(summary.bytes.asBytes), \(manifest.recordCount) records, all checked\n"
        if let base = manifest.base {
            lines +=
                "It contains the changes since \(VisibleText.of(base.fileName)); a restore reads \(summary.chainLength) files\n"
        }
        try Output.standard.write(lines)
    }

    private static func write(_ summary: SnapshotSummary, to writer: inout JSONWriter) {
        let manifest = summary.manifest
        writer.field("file", summary.path)
        writer.field("id", manifest.id.description)
        writer.field("instant", manifest.instant)
        writer.field("sequence", manifest.sequence)
        writer.field("bytes", summary.bytes)
        writer.field("uncompressedBytes", summary.uncompressedBytes)
        writer.field("encrypted", summary.isEncrypted)
        writer.array("collections") { writer in
            for collection in manifest.collections {
                writer.object { writer in
                    writer.field("name", collection.name)
                    writer.field("records", collection.count)
                }
            }
        }
        if let base = manifest.base {
            writer.object("base") { writer in
                writer.field("id", base.id.description)
                writer.field("file", base.fileName)
                writer.field("present", true)
            }
        }
    }

    /// Writes one entry of a listing into an open object.
    static func write(_ entry: SnapshotListing, to writer: inout JSONWriter) {
        writer.field("file", entry.name)
        writer.field("bytes", entry.bytes)
        switch entry.state {
        case .unreadable(let reason):
            writer.field("problem", reason)
        case .readable(let header):
            writer.field("id", header.id.description)
            writer.field("instant", header.instant)
            writer.field("encrypted", header.isEncrypted)
            writer.field("incremental", header.isIncremental)
            if header.isIncremental {
                writer.field("base", entry.base)
                writer.field("complete", entry.isComplete)
            }
        }
    }
}
