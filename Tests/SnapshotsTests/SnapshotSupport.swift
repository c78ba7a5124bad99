import CivilTime
import FoundationEssentials
import Records

@testable import ByteStreams
@testable import Snapshots

/// A state of a store, without the store.
struct SnapshotState {
    var collections: RandomRecords.Collections
    var sequence: UInt64 = 7

    func manifest(base: SnapshotBase? = nil) -> SnapshotManifest {
        SnapshotManifest(
            storeID: UUID(uuidString: "019c4722-f0a0-7000-8000-000000000001"), schema: 1, sequence: sequence,
            instant: Instant(microsecondsSince1970: 1_770_714_900_000_000), library: "1.0.0",
            collections: collections.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.compactMap { name in
                var digest = CollectionDigest(collection: name)
                for (key, value) in collections[name] ?? [:] { digest.add(key, value) }
                return digest.count == 0
                    ? nil : SnapshotCollection(name: name, count: digest.count, digest: digest.digest)
            }, base: base)
    }

    /// The whole file: everything, or what is not as it is in `base`.
    func file(level: Int = 3) throws -> [UInt8] {
        try file(manifest(), level: level, since: nil)
    }

    /// What is not as it is in `base`, of which `file` is a snapshot.
    func file(since base: SnapshotState, _ file: [UInt8]) throws -> [UInt8] {
        let base = (state: base, manifest: try snapshotReader(file).manifest)
        return try self.file(
            manifest(base: SnapshotBase(base.manifest, fileName: "base.snapshot")), since: base.state)
    }

    func file(
        _ manifest: SnapshotManifest, level: Int = 3, since base: SnapshotState?, _ output: Output = Output()
    ) throws -> [UInt8] {
        let writer = try SnapshotWriter(manifest, level: level) { (bytes) throws(FileError) in
            output.chunks.append(bytes)
        }
        for (number, name) in manifest.names.enumerated() {
            let now = collections[name] ?? [:]
            let then = base?.collections[name] ?? [:]
            for key in Set(now.keys).union(then.keys).sorted(by: { $0.precedes($1) }) where now[key] != then[key] {
                if let value = now[key] {
                    try writer.append(key: key.span.bytes, value: value.span.bytes, to: number)
                } else {
                    try writer.appendRemoval(of: key.span.bytes, from: number)
                }
            }
        }
        try writer.finish()
        return writer.header.bytes + output.chunks.joined()
    }
}

/// A reader of a file that lies in memory, which is given out in pieces of a size.
func snapshotReader(_ file: [UInt8], pieces: Int = 1_000, path: String = "a.snapshot") throws -> SnapshotReader {
    let body = Body(Array(file.dropFirst(SnapshotHeader.byteCount)), pieces: pieces)
    return try SnapshotReader(
        path: path, header: SnapshotHeader(Array(file.prefix(SnapshotHeader.byteCount)), path: path)
    ) { () throws(FileError) -> [UInt8] in body.next() }
}

private final class Body {
    private let bytes: [UInt8]
    private let pieces: Int
    private var position = 0

    init(_ bytes: [UInt8], pieces: Int) {
        self.bytes = bytes
        self.pieces = pieces
    }

    func next() -> [UInt8] {
        let end = min(position + pieces, bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }
}

/// All records of a full snapshot, in the order in which they come.
func recordsOf(_ reader: SnapshotReader) throws -> RandomRecords.Collections {
    var found: RandomRecords.Collections = [:]
    while try reader.next() { found[reader.names[reader.collection], default: [:]][reader.key] = reader.value }
    return found
}

/// Collects what a sink receives.
final class Output {
    var chunks: [[UInt8]] = []
}
