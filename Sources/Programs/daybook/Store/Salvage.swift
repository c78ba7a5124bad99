import ArgumentParser
import CommandSupport
import Daybook

struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the records of a damaged store or snapshot into a new store.",
        discussion: """
            Reads the store's file page by page and trusts only data with a valid checksum. It works on a store that \
            cannot be opened, on a truncated file, and without store.json. The damaged store is not changed. Close the \
            programs that have it open.

            Saves every intact block of a damaged snapshot. An incremental one needs its bases in the same folder.

            Names the missing records, and exits with 1 if there are any. Deleted records stay deleted; --deleted also \
            saves them, and earlier versions of missing ones, if the file still has them.

            Examples:
              daybook salvage ~/.local/share/daybook --to ~/salvaged
              daybook salvage /mnt/old-disk/daybook --to ~/salvaged --deleted
              daybook salvage ~/backups/daybook-2026-02-10T091500Z.snapshot --to ~/salvaged
            """)

    @Argument(help: "The folder of the damaged store, or the damaged snapshot.", completion: .file())
    var damaged: String

    @Option(help: ArgumentHelp("The folder of the new store.", valueName: "dir"), completion: .directory)
    var to: String

    @Flag(help: "Also save deleted records, and earlier versions of missing ones.")
    var deleted = false

    @OptionGroup var passphrase: PassphraseOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if to.isEmpty { throw ValidationError("--to needs a folder. Name one.") }
    }

    func run() throws {
        let context = try options.session().context
        let report: SalvageReport
        do {
            report = try StoreFiles.salvage(
                damaged, to: to, context: context, options: SalvageOptions(takesDeleted: deleted),
                passphrase: snapshotPassphrase())
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noStore(path: damaged)
        } catch FileError.targetExists(let path) {
            throw CommandError.notAllowed("\(path) exists and was not changed. Choose another folder.")
        }
        if options.json {
            try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("store", to)
                    report.writeFields(to: &writer)
                }
            }
        } else {
            let lines = ["Salvaged \(report.records) records to \(to)"] + report.lines
            try Output.standard.write(lines.map { VisibleText.of($0) + "\n" }.joined())
        }
        if !report.isComplete { throw CommandError.finished(.checkFailed) }
    }
}

extension Salvage {
    /// The passphrase of an encrypted snapshot. A snapshot without a header of encryption cannot be decrypted.
    private func snapshotPassphrase() throws -> Passphrase? {
        guard StoreFiles.isFile(damaged), (try? SnapshotFile.isEncrypted(damaged)) == true else { return nil }
        return try passphrase.existing(for: damaged)
    }
}

extension SalvageReport {
    /// The report for people, without the line about where everything is now.
    var lines: [String] {
        var lines: [String] = []
        for collection in collections {
            lines.append("\(collection.name): \(collection.records) saved" + Self.remarks(on: collection))
            lines += collection.quarantinedKeys.map { "\(collection.name) \($0) is damaged and was quarantined" }
            lines += collection.missingKeys.map { "  \($0) is lost" }
            lines += collection.formerKeys.map { "  \($0) is deleted or an earlier version" }
        }
        if let missingBase {
            lines.append(
                "Only what was changed since \(missingBase) was saved: it is not in the same folder, or nothing in it can be "
                    + "trusted")
        }
        if damagedBlocks > 0 { lines.append("Places of the snapshot that cannot be trusted: \(damagedBlocks)") }
        if changesLost > 0 { lines.append("Changes that can no longer be undone: \(changesLost)") }
        if !isComplete { lines.append("Restore what is missing from a backup: daybook import FILE") }
        return lines
    }

    private static func remarks(on collection: Collection) -> String {
        var text = ""
        if collection.provedCopies > 0 { text += ", \(collection.provedCopies) of them from former copies" }
        if !collection.correctedKeys.isEmpty {
            text += ", \(collection.correctedKeys.count) of them with a byte put right"
        }
        if collection.missing > 0 { text += ", at least \(collection.missing) missing" }
        switch collection.isProvedComplete {
        case true: text += "; all that was counted"
        case false where collection.missing == 0: text += "; some are older than they should be"
        case false, nil: break
        }
        return text
    }

    /// The fields of the report in JSON.
    func writeFields(to writer: inout JSONWriter) {
        writer.field("complete", isComplete)
        writer.field("records", records)
        writer.field("missing", missing)
        writer.array("collections") { writer in
            for collection in collections {
                writer.object { writer in
                    writer.field("name", collection.name)
                    writer.field("records", collection.records)
                    writer.field("fromFormerCopies", collection.provedCopies)
                    writer.field("corrected", collection.correctedKeys.count)
                    writer.field("missing", collection.missing)
                    writer.field("missingKeys", collection.missingKeys)
                    writer.field("quarantinedKeys", collection.quarantinedKeys)
                    writer.field("formerKeys", collection.formerKeys)
                }
            }
        }
        writer.field("changes", changes)
        writer.field("changesLost", changesLost)
        writer.field("damagedPages", damagedPages)
        writer.field("damagedBlocks", damagedBlocks)
        writer.field("missingBase", missingBase)
    }
}
