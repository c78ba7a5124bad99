import ByteStreams
import Snapshots

/// A full snapshot and one that continues it.
struct SnapshotSeeds {
    /// So many that a chain has blocks of several kinds, and few enough for a mutation to hit something.
    let base: StoreRecords
    let next: StoreRecords
    let baseFile: [UInt8]
    let nextFile: [UInt8]

    init(_ base: StoreRecords, level: Int, _ random: inout FuzzRandom) throws {
        self.base = base
        var next = base
        next.records.removeAll { _ in random.chance(5) }
        for index in next.records.indices where random.chance(4) { next.records[index].value.append(random.byte()) }
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

    /// The manifest is written here by the documentation, and read by the reader, so that it can be given to the writer.
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
