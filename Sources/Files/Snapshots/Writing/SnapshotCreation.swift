import ByteStreams
import CivilTime
import FoundationEssentials
import Records

/// Writes a snapshot into a file, and verifies it before the file gets its name.
package struct SnapshotCreation {
    /// The level of zstd, 1 to 19; 0 for no compression.
    package var level = 3
    package var passphrase: Passphrase?
    package var overwrite = false
    /// The earlier snapshot to continue.
    package var base: SnapshotBase?
    /// The path of that snapshot, for errors.
    package var basePath: String?
    /// The store's id in that snapshot.
    package var baseStoreID: UUID?
    /// Where that snapshot and those that it continues are; by default the folder of the new file.
    package var bases: SnapshotBases?

    package init() {}

    /// Lets writers of the store go first.
    package var pace: BackgroundPace?

    /// Writes the snapshot. Memory: two blocks of records.
    ///
    /// Before the file gets its name, it is read back with all that it continues: it could be restored then.
    ///
    /// - Throws: errors of the store and of files, and what `progress` throws; no file is left then. `neededByAnother`
    ///   when the file to be replaced is one that another snapshot continues, `notRestorable` when one that the new
    ///   snapshot continues would not be in its folder.
    package func write(
        _ image: StoreImage, to path: String, context: Context, progress: SnapshotFile.Progress
    ) throws -> SnapshotSummary {
        // Before the file is created, since these may fail.
        let base = try baseInPlace(for: path)
        let changes = try base?.changes(in: image, storeID: baseStoreID)
        let manifest = SnapshotManifest(
            of: image, instant: context.clock.wall, library: LibraryVersion.current, base: base)
        let folder = SnapshotFolder(FolderEntry.folder(of: path))
        let file = try AtomicFile(path: path, overwrite: overwrite)
        if overwrite { try folder.checkNotNeeded(path) }
        // From here on, an error removes the file.
        var done = 0
        let total = changes.map { $0.reduce(0) { $0 + $1.keys.count } } ?? manifest.recordCount
        func advance() throws {
            pace?.step()
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
        let (summary, read) = try verified(file) { done, of in
            try progress(total + total * done / max(of, 1), 2 * total)
        }
        guard summary.manifest == manifest, read == written else {
            throw FileError.damagedSnapshot(
                path: path, reason: "the bytes that were read back differ from those written")
        }
        guard summary.chainLength <= SnapshotFile.chainLimit else {
            throw FileError.chainTooLong(path: basePath ?? path, limit: SnapshotFile.chainLimit)
        }
        // Again, since another program may have made one meanwhile.
        if overwrite { try folder.checkNotNeeded(path) }
        try file.commit()
        return SnapshotSummary(
            path: path, bytes: summary.bytes, uncompressedBytes: summary.uncompressedBytes,
            isEncrypted: summary.isEncrypted, chainLength: summary.chainLength, manifest: manifest)
    }

    /// The snapshot to continue, with the name that it has where a restore will search for it.
    private func baseInPlace(for path: String) throws(FileError) -> SnapshotBase? {
        guard var base else { return nil }
        var bases: SnapshotBases
        if let given = self.bases { bases = given } else { bases = try SnapshotBases(of: path) }
        guard let found = try bases.file(of: base) else { throw .notRestorable(path: path, base: base.fileName) }
        base.fileName = FolderEntry.name(of: found)
        return base
    }

    /// Reads the written file as a restore from its place would.
    private func verified(
        _ file: AtomicFile, progress: SnapshotFile.Progress
    ) throws -> (summary: SnapshotSummary, sums: SnapshotSums) {
        do {
            return try SnapshotFile.verified(
                file.temporaryPath, passphrase: passphrase, bases: try bases ?? SnapshotBases(of: file.path),
                pace: pace, progress: progress)
        } catch FileError.baseMissing(_, let base) {
            throw FileError.notRestorable(path: file.path, base: base)
        }
    }

    private func write(
        to file: AtomicFile, _ manifest: SnapshotManifest, _ context: Context, _ body: (SnapshotWriter) throws -> Void
    ) throws -> SnapshotSums {
        let header = SnapshotHeader(manifest, isEncrypted: passphrase != nil)
        guard let passphrase else {
            try file.write(header.bytes)
            let writer = try SnapshotWriter(manifest, level: level, pace: pace) { (bytes) throws(FileError) in
                try file.write(bytes)
            }
            try body(writer)
            return writer.sums
        }
        var sink = EncryptedSink(
            header: header.bytes, passphrase: passphrase, head: EncryptionHead(random: context.random), path: file.path
        ) { (bytes) throws(FileError) in try file.write(bytes) }
        let writer = try SnapshotWriter(manifest, level: level, isEncrypted: true, pace: pace) {
            (bytes) throws(FileError) in try sink.write(bytes)
        }
        try body(writer)
        try sink.finish()
        return writer.sums
    }
}

extension SnapshotManifest {
    /// Creates the manifest of a snapshot of an image.
    package init(of image: StoreImage, instant: Instant, library: String, base: SnapshotBase? = nil) {
        self.init(
            storeID: image.storeID, schema: image.schemaVersion, sequence: image.sequence, instant: instant,
            library: library,
            collections: image.collections.map(SnapshotCollection.init), base: base)
        collections.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

extension SnapshotCollection {
    package init(_ image: CollectionImage) {
        self.init(name: image.name, count: image.count, digest: image.digest)
    }
}

extension SnapshotWriter {
    /// Writes every record of an image and the footer. `advance` is called for every record.
    package func writeAll(of image: StoreImage, _ manifest: SnapshotManifest, advance: () throws -> Void = {}) throws {
        for (number, name) in manifest.names.enumerated() {
            try image.forEachRecord(in: name) { key, value in
                try append(key: key, value: value, to: number)
                try advance()
                return true
            }
        }
        try finish()
    }

    /// Writes the changes since the manifest's base and the footer.
    ///
    /// - Throws: `notABase` when the store at that change differs from the base; what `StoreImage.changes(after:)`
    ///   throws.
    package func writeChanges(
        _ changes: [CollectionChanges], of image: StoreImage, _ manifest: SnapshotManifest,
        advance: () throws -> Void = {}
    ) throws {
        for (number, name) in manifest.names.enumerated() {
            for key in changes.first(where: { $0.name == name })?.keys ?? [] {
                if let value = try image.record(key, in: name) {
                    try append(key: key.span.bytes, value: value.span.bytes, to: number)
                } else {
                    try appendRemoval(of: key.span.bytes, from: number)
                }
                try advance()
            }
        }
        try finish()
    }
}

extension SnapshotBase {
    /// Returns the changes of a store since this snapshot.
    ///
    /// - Throws: `notABase` when the store at that change differs from the snapshot; what `StoreImage.changes(after:)`
    ///   throws.
    package func changes(in image: StoreImage, storeID base: UUID?) throws -> [CollectionChanges] {
        // A store without an id gets one at its next write.
        if let base, base != image.storeID { throw FileError.notABase(collection: "the store's id") }
        guard sequence <= image.sequence else { throw FileError.notABase(collection: "the last change") }
        let changes = try image.changes(after: sequence)
        let bases = changes.map(\.base).filter { $0.count != 0 || $0.digest != 0 }.map(SnapshotCollection.init)
        for name in Set(bases.map(\.name) + collections.map(\.name)).sorted() {
            guard bases.first(where: { $0.name == name }) == collections.first(where: { $0.name == name }) else {
                throw FileError.notABase(collection: name)
            }
        }
        return changes
    }
}
