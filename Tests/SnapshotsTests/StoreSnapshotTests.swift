import CivilTime
import FoundationEssentials
import Records
import TestSupport
import Testing

@testable import ByteStreams
@testable import Snapshots

/// A record type of an application.
private struct Note: Record {
    var id: UUID
    var text: String
    var at: Instant?

    static let collection = RecordCollection<Note>("notes") {}

    init(id: UUID, text: String, at: Instant?) {
        self.id = id
        self.text = text
        self.at = at
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
        at = try fields.optionalInstant(2)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, at)
    }
}

@Suite("Snapshots of a store")
struct StoreSnapshotTests {
    private let folder: TemporaryFolder
    private let store: RecordStore
    private let instant = Instant(microsecondsSince1970: 1_770_714_900_000_000)

    init() throws {
        folder = TemporaryFolder()
        store = try RecordStore(at: folder.path + "/store", schema: Schema().adding(Note.collection))
    }

    private func change(_ random: inout RandomRecords, _ count: Int) throws {
        let choices = (0..<count).map { _ in
            (number: UInt64(random.below(200)), isDeleted: random.chance(4), text: random.next())
        }
        try store.write { transaction in
            for choice in choices {
                let id = UUID(bigEndian: UInt128(choice.number))
                if choice.isDeleted {
                    _ = try transaction.delete(Note.self, id: id)
                } else {
                    try transaction.put(
                        Note(
                            id: id, text: "note \(choice.text)",
                            at: Instant(microsecondsSince1970: Int64(choice.number))))
                }
            }
        }
    }

    private func snapshot(since base: SnapshotManifest? = nil) throws -> [UInt8] {
        let output = Output()
        return try store.readImage { image in
            let base = base.map { (manifest: $0, base: SnapshotBase($0, fileName: "base.snapshot")) }
            let manifest = SnapshotManifest(of: image, instant: instant, library: "1.0.0", base: base?.base)
            let writer = try SnapshotWriter(manifest, level: 3) { (bytes) throws(FileError) in
                output.chunks.append(bytes)
            }
            if let base {
                let changes = try base.base.changes(in: image, storeID: base.manifest.storeID)
                try writer.writeChanges(changes, of: image, manifest)
            } else {
                try writer.writeAll(of: image, manifest)
            }
            return writer.header.bytes + output.chunks.joined()
        }
    }

    @Test("A full snapshot and the changes after it give the present store", arguments: 0..<6)
    func chain(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        try change(&random, 150)
        var files = [try snapshot()]
        #expect(try recordsOf(snapshotReader(files[0])) == RandomRecords.all(in: store))
        for count in [30, 0, 5] {
            if count > 0 { try change(&random, count) }
            files.append(try snapshot(since: snapshotReader(files[files.count - 1]).manifest))
            #expect(files[files.count - 1].count < files[0].count)
        }
        let chain = try SnapshotChain(try files.map { try snapshotReader($0) })
        var found: RandomRecords.Collections = [:]
        while try chain.next() { found[chain.names[chain.collection], default: [:]][chain.key] = chain.value }
        #expect(try found == RandomRecords.all(in: store))
    }

    @Test("A snapshot of another store, of another history or of a later state is refused as a base")
    func notABase() throws {
        var random = RandomRecords(seed: 1)
        try change(&random, 20)
        let manifest = try snapshotReader(snapshot()).manifest
        try change(&random, 20)
        var other = manifest
        other.storeID = UUID(bigEndian: 1)
        #expect(throws: FileError.notABase(collection: "the store's id")) { try snapshot(since: other) }
        other = manifest
        other.sequence = 1_000
        #expect(throws: FileError.notABase(collection: "the last change")) { try snapshot(since: other) }
        other = manifest
        other.collections[0].digest &+= 1
        #expect(throws: FileError.notABase(collection: "notes")) { try snapshot(since: other) }
        other = manifest
        other.collections = []
        #expect(throws: FileError.notABase(collection: "notes")) { try snapshot(since: other) }
    }
}
