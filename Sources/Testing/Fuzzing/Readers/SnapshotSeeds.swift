import ByteStreams
import Crypto
import FoundationEssentials
import KeyValue
import LabSupport
import Snapshots

/// A full snapshot and one that continues it.
struct SnapshotSeeds {
    /// Enough records for a chain with blocks of several kinds, and few enough for mutations to have an effect.
    let base: StoreRecords
    let next: StoreRecords
    let baseFile: [UInt8]
    let nextFile: [UInt8]

    init(_ base: StoreRecords, level: Int, _ random: inout SeededGenerator) throws {
        self.base = base
        var next = base
        next.records.removeAll { _ in random.oneIn(5) }
        for index in next.records.indices where random.oneIn(4) { next.records[index].value.append(random.byte()) }
        self.next = next
        let full = base.changes(since: StoreRecords())
        baseFile = try Self.file(full, Self.manifest(of: base, sequence: 7, base: ""), baseID: nil, level)
        let parts = SnapshotParts(baseFile)
        let id = Array(parts.header[24..<40])
        let digits = id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let origin =
            #","base":{"id":"\#(digits)","sequence":7,"instant":1770714900000000,"file":"base.snapshot","#
            + "\(Self.collections(base))}"
        nextFile = try Self.file(
            next.changes(since: base), Self.manifest(of: next, sequence: 9, base: origin), baseID: id, level)
    }

    private static func collections(_ records: StoreRecords) -> String {
        let all = records.collections.map { name, count, digest in
            let digits = String(digest, radix: 16)
            let padded = String(repeating: "0", count: 16 - digits.count) + digits
            return #"{"name":"\#(name)","count":\#(count),"digest":"\#(padded)"}"#
        }
        return #""collections":[\#(all.joined(separator: ","))]"#
    }

    private static func manifest(of records: StoreRecords, sequence: Int, base: String) -> [UInt8] {
        Array(
            (#"{"store":"019c4722-f0a0-7000-8000-000000000001","schema":1,"sequence":\#(sequence),"instant":1770714900000000,"#
                + #""library":"1.0.0",\#(collections(records))\#(base)}"#).utf8)
    }

    /// Returns a file. The manifest is encoded here as documented and decoded by the reader, because the writer takes a
    /// decoded one.
    private static func file(
        _ changes: [(record: StoreRecords.Record, isRemoval: Bool)], _ manifest: [UInt8], baseID: [UInt8]?, _ level: Int
    ) throws -> [UInt8] {
        var header: [UInt8] = [
            0x89, 0x44, 0x42, 0x53, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, baseID == nil ? 0 : 1, 0, 0, 0, 0, 0,
        ]
        header += SnapshotParts.bytes(Int64(1_770_714_900_000_000)) + SnapshotParts.id(of: manifest)
        header += (baseID ?? [UInt8](repeating: 0, count: 16)) + SnapshotParts.storeMark
        var body: [UInt8]? = [1, 0, 0, 0, 0, 0, 0, 0] + SnapshotParts.bytes(UInt64(manifest.count)) + manifest
        let reader = try SnapshotReader(path: "seed", header: SnapshotHeader(header, path: "seed")) {
            () throws(FileError) in body.take() ?? []
        }
        var file: [UInt8] = []
        let writer = try SnapshotWriter(reader.manifest, level: level) { (bytes) throws(FileError) in file += bytes }
        for (record, isRemoval) in changes {
            let number = reader.names.firstIndex(of: record.collection) ?? 0
            if isRemoval {
                try writer.appendRemoval(of: record.key.span.bytes, from: number)
            } else {
                try writer.append(key: record.key.span.bytes, value: record.value.span.bytes, to: number)
            }
        }
        try writer.finish()
        return writer.header.bytes + file
    }
}

/// Pairs of a snapshot and one that continues it.
struct SnapshotCorpus {
    let pairs: [SnapshotSeeds]
    /// Tokens of a block.
    static let tokens: [[UInt8]] = [
        [0], [1], [2], [3], [0x80, 0x01], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [0xFF, 0xFF, 0x03],
        [0x28, 0xB5, 0x2F, 0xFD], [0, 0, 0, 0], [8], [63, 6], [1, 5], [0x80, 0x80, 0x04],
    ]

    init(seed: UInt64, in folder: String) async throws {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        var pairs: [SnapshotSeeds] = []
        for (count, level) in [(2, 0), (2, 3), (9, 0), (24, 0), (24, 1), (24, 19)] {
            var records = try await StoreRecords.random(count, seed: random.next(), in: folder)
            if count == 9 { records.records += Self.odd(&random) }
            pairs.append(try SnapshotSeeds(records, level: level, &random))
        }
        self.pairs = pairs
    }

    /// Records that are not lists of fields, and an undeclared collection.
    private static func odd(_ random: inout SeededGenerator) -> [StoreRecords.Record] {
        let values: [[UInt8]] = [[], [0], [1], [1, 1, 5, 200], Array("Geburtstagsfeier\nx\ny\nx\n".utf8), [1, 63, 3]]
        return values.indices.map {
            StoreRecords.Record(collection: "zz", key: [UInt8($0)] + (random.oneIn(2) ? [7] : []), value: values[$0])
        }
    }

    /// The texts that no error may quote.
    static func text(of seeds: SnapshotSeeds) -> [UInt8] {
        Array(seeds.base.records.map(\.value).joined(separator: [0]))
    }
}

/// A snapshot split into its parts according to Documentation/Format.md, so that one part can be changed and the
/// lengths, the manifest's id and the checksums be recomputed.
struct SnapshotParts {
    struct Section {
        var kind: UInt8
        var collection: UInt16
        var count: UInt32
        var content: [UInt8]
    }

    var header: [UInt8]
    /// The manifest and the blocks, without the footer.
    var sections: [Section] = []

    /// Splits a valid file of version 2.
    init(_ file: [UInt8]) {
        header = Array(file.prefix(64))
        var position = 64
        while file[position] != 255 {
            let length = Int(Self.number(file, position + 8, 4))
            sections.append(
                Section(
                    kind: file[position], collection: UInt16(Self.number(file, position + 2, 2)),
                    count: UInt32(Self.number(file, position + 4, 4)),
                    content: Array(file[(position + 24)..<(position + 24 + length)])))
            position += 24 + length
        }
    }

    /// The complete file.
    var file: [UInt8] {
        var header = header
        if let manifest = sections.first { header.replaceSubrange(24..<40, with: Self.id(of: manifest.content)) }
        let (mark, names) = (Array(header[24..<32]), names)
        var file = header
        for section in sections {
            let front =
                [section.kind, 2] + Self.bytes(section.collection) + Self.bytes(section.count)
                + Self.bytes(UInt32(section.content.count))
            let number = Int(section.collection)
            let name = section.kind == 1 || number >= names.count ? "" : names[number]
            let key = Self.hash(mark + front, Self.hash(Array(name.utf8), 0))
            file += Self.head(front + Self.bytes(section.content.isEmpty ? key : Self.hash(section.content, key)))
            file += section.content
        }
        file += Self.head([255, 2, 0, 0, 0, 0, 0, 0] + Self.bytes(UInt32(32)) + mark)
        return file + Array(SHA256.hash(data: file))
    }

    /// A head with its checksum.
    private static func head(_ front: [UInt8]) -> [UInt8] {
        front + bytes(UInt32(truncatingIfNeeded: hash(front, hash([], 0))))
    }

    private static func hash(_ bytes: [UInt8], _ seed: UInt64) -> UInt64 { XXHash64.hash(bytes.span.bytes, seed: seed) }

    /// The names of the collections in the manifest and its base, by their numbers.
    private var names: [String] {
        let manifest = String(decoding: sections.first?.content ?? [], as: UTF8.self)
        return Set(manifest.matches(of: /"name":"([^"]*)"/).map { String($0.1) })
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The header's field for the store that the manifests of the seeds name.
    static let storeMark = Array(
        SHA256.hash(data: [0x01, 0x9C, 0x47, 0x22, 0xF0, 0xA0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1] as [UInt8]).prefix(8)
    )

    static func id(of manifest: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: manifest).prefix(16)) }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
