import Daybook

/// What the commands say of a snapshot.
enum SnapshotReport {
    /// Says what was written, or verified.
    static func tell(_ summary: SnapshotSummary, asJSON: Bool, isVerification: Bool = false) throws {
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
            let place = summary.isBasePresent ? "in the same folder" : "NOT in the same folder"
            lines += "It holds the changes since \(VisibleText.of(base.fileName)), which is \(place)\n"
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
                writer.field("present", summary.isBasePresent)
            }
        }
    }

    /// Writes one entry of a listing into an object that is open.
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
            if header.isIncremental { writer.field("base", entry.base) }
        }
    }
}
