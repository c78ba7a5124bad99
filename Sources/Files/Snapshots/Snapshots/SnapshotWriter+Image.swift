import ByteStreams
import CivilTime
import FoundationEssentials
import Records

extension SnapshotManifest {
    /// The manifest of a snapshot of an image.
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
    /// Writes every record of an image, and the end. `advance` hears of every record.
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

    /// Writes what changed since the manifest's base, and the end.
    ///
    /// - Throws: `notABase` when the store was at that change not what the base says; what `StoreImage.changes(after:)`
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
    /// What changed in a store since this snapshot was made of it.
    ///
    /// - Throws: `notABase` when the store was then not what the snapshot is; what `StoreImage.changes(after:)` throws.
    package func changes(in image: StoreImage, storeID base: UUID?) throws -> [CollectionChanges] {
        // A store without an id gets one at the next writing.
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
