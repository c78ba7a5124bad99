import CivilTime
import FoundationEssentials
import Records
import TestSupport

@testable import ByteStreams
@testable import Snapshots

/// The records of a store.
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

    /// The complete file: all records, or the differences from `base`.
    func file(level: Int = 3, blockLimit: Int = BlockReader.countLimit) throws -> [UInt8] {
        try file(manifest(), level: level, blockLimit: blockLimit, since: nil)
    }

    /// The differences from `base`, of which `file` is a snapshot.
    func file(
        since base: SnapshotState, _ file: [UInt8], named name: String = "base.snapshot",
        blockLimit: Int = BlockReader.countLimit
    ) throws -> [UInt8] {
        let base = (state: base, manifest: try snapshotReader(file).manifest)
        return try self.file(
            manifest(base: SnapshotBase(base.manifest, fileName: name)), blockLimit: blockLimit, since: base.state)
    }

    func file(
        _ manifest: SnapshotManifest, level: Int = 3, blockLimit: Int = BlockReader.countLimit,
        since base: SnapshotState?, _ output: Output = Output(), pace: BackgroundPace? = nil
    ) throws -> [UInt8] {
        let writer = try SnapshotWriter(
            manifest, level: level, isEncrypted: false, blockLimit: blockLimit, pace: pace
        ) { (bytes) throws(FileError) in output.chunks.append(bytes) }
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

/// A reader of a file in memory, in parts of a given size.
func snapshotReader(_ file: [UInt8], pieces: Int = 1_000, path: String = "a.snapshot") throws -> SnapshotReader {
    let body = Body(Array(file.dropFirst(SnapshotHeader.byteCount)), pieces: pieces)
    return try SnapshotReader(
        path: path, header: SnapshotHeader(Array(file.prefix(SnapshotHeader.byteCount)), path: path)
    ) { () throws(FileError) -> [UInt8] in body.next() }
}

/// Splits a valid file of version 2 into its sections: the head, where it begins, and the content.
func sectionsOf(_ file: [UInt8]) throws -> [(head: SnapshotSection, range: Range<Int>, content: [UInt8])] {
    var sections: [(head: SnapshotSection, range: Range<Int>, content: [UInt8])] = []
    var position = SnapshotHeader.byteCount
    while position < file.count {
        let start = position + SnapshotSection.byteCount(version: 2)
        let head = try SnapshotSection(Array(file[position..<start]), version: 2)
        sections.append((head, position..<start + head.length, Array(file[start..<start + head.length])))
        position = start + head.length
    }
    return sections
}

/// The same snapshot as version 1 wrote it: its sections have no checksums, and its footer says where they are.
func inVersion1(_ file: [UInt8]) throws -> [UInt8] {
    let manifest = try snapshotReader(file).manifest
    let header = SnapshotHeader(manifest, isEncrypted: false, formatVersion: 1)
    var body: [UInt8] = []
    func append(_ head: SnapshotSection, length: Int) {
        body += [head.kind.rawValue, 0]
        body.append(littleEndian: UInt16(head.collection))
        body.append(littleEndian: UInt32(head.count))
        body.append(littleEndian: UInt64(length))
    }
    var footer: [UInt8] = []
    var recordBytes: UInt64 = 0
    let sections = try sectionsOf(file).filter { $0.head.kind != .footer }
    footer.append(littleEndian: UInt32(sections.count))
    for section in sections {
        footer.append(littleEndian: UInt64(SnapshotHeader.byteCount + body.count))
        append(section.head, length: section.content.count)
        body += section.content
        guard section.head.kind == .records else { continue }
        for (place, byte) in section.content.prefix(8).enumerated() { recordBytes += UInt64(byte) << UInt64(8 * place) }
    }
    footer.append(littleEndian: recordBytes)
    append(SnapshotSection(.footer, length: 0), length: footer.count + 32)
    body += footer
    var parts = [body, []]
    var source = SnapshotSource(header) { () throws(FileError) in parts.removeFirst() }
    _ = try source.takeHashed(body.count)
    return header.bytes + body + source.digest
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

/// All records of a full snapshot.
func recordsOf(_ reader: SnapshotReader) throws -> RandomRecords.Collections {
    var found: RandomRecords.Collections = [:]
    while try reader.next() { found[reader.names[reader.collection], default: [:]][reader.key] = reader.value }
    return found
}

/// Collects what a sink receives.
final class Output {
    var chunks: [[UInt8]] = []
}

/// Random records of a few collections: many that resemble tasks, and some of every odd kind.
struct RandomRecords {
    typealias Collections = [String: [[UInt8]: [UInt8]]]

    /// The records of a store, by collection and key.
    static func all(in store: RecordStore) throws -> Collections {
        try store.readImage { image in
            var found: Collections = [:]
            for collection in image.collections {
                try image.forEachRecord(in: collection.name) { key, value in
                    var copy = (key: [UInt8](), value: [UInt8]())
                    copy.key.append(key)
                    copy.value.append(value)
                    found[collection.name, default: [:]][copy.key] = copy.value
                    return true
                }
            }
            return found
        }
    }

    private var dice: Dice

    init(seed: UInt64) {
        dice = Dice(seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    }

    mutating func next() -> UInt64 { dice.next() }
    mutating func below(_ bound: Int) -> Int { dice.below(bound) }
    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    mutating func collections(atMost count: Int) -> Collections {
        var collections: Collections = [:]
        for name in ["tasks", "readings", "ähnlich", "z"] where !chance(4) {
            let kind = below(4)
            var records: [[UInt8]: [UInt8]] = [:]
            for _ in 0..<below(count) { records[key(kind)] = value(odd: chance(12)) }
            if !records.isEmpty { collections[name] = records }
        }
        return collections
    }

    mutating func key(_ kind: Int) -> [UInt8] {
        switch kind {
        case 0, 1:
            var key = bytes(16)
            let time = 1_700_000_000_000 + next() % 10_000_000
            for index in 0..<6 { key[index] = UInt8(truncatingIfNeeded: time >> UInt64(40 - index * 8)) }
            if kind == 0 {
                key[6] = 0x70 | key[6] & 15
                key[8] = 0x80 | key[8] & 63
            }
            return key
        case 2: return [0, 0] + bytes(2)
        default: return bytes(1 + below(chance(9) ? 64 : 7))
        }
    }

    /// A value of fields, or sometimes one that is not.
    mutating func value(odd: Bool) -> [UInt8] {
        if odd {
            switch below(6) {
            case 0: return []
            case 1: return [1]
            case 2: return bytes(below(40))
            case 3: return [1, 1, 7, 0]
            case 4: return [2, 1, 1, 0]
            default: return [1, 9, 1, 0, 3, 1, 0]
            }
        }
        var value: [UInt8] = [1]
        let created = 1_700_000_000_000_000 + next() % 10_000_000_000
        text(1, long: chance(8), words(1 + below(9)), to: &value)
        if chance(2) { value += [2, 1, UInt8(below(3))] }
        number(3, created, to: &value)
        number(4, created &+ UInt64(below(100)) * 1_000_000, to: &value)
        if chance(2) { number(5, created &+ UInt64(below(2)) * next(), to: &value) }
        if chance(3) {
            value += [8, 2] + (0..<4).map { UInt8(truncatingIfNeeded: (created / 86_400_000_000) >> ($0 * 8)) }
        }
        if chance(9) { value += [8 + 1, 2] + bytes(4) } else { number(9, UInt64(below(50)) << 32, to: &value) }
        if chance(3) { text(10, long: true, (0..<below(6)).map { _ in words(3) }.joined(separator: "\n"), to: &value) }
        if chance(5) { value += [16, 4] + [UInt8](repeating: UInt8(below(3)), count: 16) }
        for field in 20..<UInt8(24) where chance(9) { number(field, next() >> UInt64(below(64)), to: &value) }
        if chance(9) { value += [63, 5, 0] }
        return value
    }

    private mutating func words(_ count: Int) -> String {
        (0..<count).map { _ in ["call", "Ada", "Öl", "the", "bank", "tomorrow", "\n", "#\(below(99))"][below(8)] }
            .joined(separator: " ")
    }

    private func number(_ field: UInt8, _ number: UInt64, to value: inout [UInt8]) {
        value += [field, 3] + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private func text(_ field: UInt8, long: Bool, _ text: String, to value: inout [UInt8]) {
        let count = text.utf8.count
        value +=
            long || count > 255
            ? [field, 6] + (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } : [field, 5, UInt8(count)]
        value += text.utf8
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
