import ByteStreams
import CivilTime
import FoundationEssentials
import Records

/// Writes a snapshot into a file, and reads it back before the file gets its name.
package struct SnapshotCreation {
    /// What it is to be.
    package var level = 3
    package var passphrase: Passphrase?
    package var overwrite = false
    /// The earlier snapshot to continue.
    package var base: SnapshotBase?
    /// The store's id as that snapshot has it.
    package var baseStoreID: UUID?

    package init() {}

    /// Writes it. Memory: one block of records.
    ///
    /// - Throws: what the store and the files say, what `progress` throws; then nothing is left of the file.
    package func write(
        _ image: StoreImage, to path: String, context: Context, progress: SnapshotFile.Progress
    ) throws -> SnapshotSummary {
        let manifest = SnapshotManifest(
            of: image, instant: context.clock.wall, library: LibraryVersion.current, base: base)
        // Before the file is begun: it may not be possible.
        let changes = try base?.changes(in: image, storeID: baseStoreID)
        let file = try AtomicFile(path: path, overwrite: overwrite)
        // From the first record on an error, or letting go, removes the file again.
        var done = 0
        let total = changes.map { $0.reduce(0) { $0 + $1.keys.count } } ?? manifest.recordCount
        func advance() throws {
            done += 1
            if done % 4096 == 0 { try progress(done, 2 * total) }
        }
        let written = try write(to: file, manifest, context) { writer in
            if let changes {
                try writer.writeChanges(changes, of: image, manifest, advance: advance)
            } else {
                try writer.writeAll(of: image, manifest, advance: advance)
            }
        }
        let (summary, read) = try SnapshotFile.verified(file.temporaryPath, passphrase: passphrase) { done, _ in
            try progress(total + done, 2 * total)
        }
        guard summary.manifest == manifest, read == written else {
            throw FileError.damagedSnapshot(path: path, reason: "what was read back is not what was written")
        }
        try file.commit()
        return SnapshotSummary(
            path: path, bytes: summary.bytes, uncompressedBytes: summary.uncompressedBytes,
            isEncrypted: summary.isEncrypted, isBasePresent: summary.isBasePresent, manifest: manifest)
    }

    private func write(
        to file: AtomicFile, _ manifest: SnapshotManifest, _ context: Context, _ body: (SnapshotWriter) throws -> Void
    ) throws -> SnapshotSums {
        let header = SnapshotHeader(manifest, isEncrypted: passphrase != nil)
        guard let passphrase else {
            try file.write(header.bytes)
            let writer = try SnapshotWriter(manifest, level: level) { (bytes) throws(FileError) in
                try file.write(bytes)
            }
            try body(writer)
            return writer.sums
        }
        var sink = EncryptedSink(
            header: header.bytes, passphrase: passphrase, head: EncryptionHead(random: context.random), path: file.path
        ) { (bytes) throws(FileError) in try file.write(bytes) }
        let writer = try SnapshotWriter(manifest, level: level, isEncrypted: true) { (bytes) throws(FileError) in
            try sink.write(bytes)
        }
        try body(writer)
        try sink.finish()
        return writer.sums
    }
}
