import Testing

@testable import ByteStreams
@testable import Snapshots

@Suite("Damaged snapshots")
struct SnapshotDamageTests {
    private static func file(_ count: Int = 40) throws -> [UInt8] {
        var random = RandomRecords(seed: 17)
        var records: [[UInt8]: [UInt8]] = [:]
        for index in 0..<count { records[random.key(0)] = random.value(odd: index % 9 == 0) }
        return try SnapshotState(collections: ["tasks": records, "z": [[1]: []]]).file()
    }

    private static func verify(_ file: [UInt8]) throws {
        let reader = try snapshotReader(file)
        while try reader.next() {}
    }

    @Test("Every changed byte is detected")
    func everyByte() throws {
        let file = try Self.file()
        try Self.verify(file)
        for position in file.indices {
            for flip in [UInt8(1), 0x80, 0xFF] {
                var damaged = file
                damaged[position] ^= flip
                #expect(throws: FileError.self, "byte \(position) of \(file.count)") { try Self.verify(damaged) }
            }
        }
    }

    @Test("Every truncation is detected, and so are bytes after the end")
    func everyTruncation() throws {
        let file = try Self.file()
        for length in file.indices {
            #expect(throws: FileError.self, "\(length) of \(file.count)") { try Self.verify(Array(file[..<length])) }
        }
        #expect(throws: FileError.damagedSnapshot(path: "a.snapshot", reason: "something follows its end")) {
            try Self.verify(file + [0])
        }
    }

    @Test("A file that is not a snapshot and a snapshot of a later version give different errors")
    func kinds() throws {
        var file = try Self.file()
        #expect(throws: FileError.notASnapshot(path: "a.snapshot")) {
            try Self.verify(Array("no snapshot at all".utf8))
        }
        file[8] = 3
        #expect(throws: FileError.newerSnapshot(path: "a.snapshot", found: 3, supported: 2)) {
            try Self.verify(file)
        }
    }

    @Test("Records that differ from the manifest are detected in an otherwise valid file")
    func otherRecords() throws {
        let state = SnapshotState(collections: ["tasks": [[1]: [1], [2]: [1]]])
        let other = SnapshotState(collections: ["tasks": [[1]: [1], [3]: [1]]])
        let file = try other.file(state.manifest(), since: nil)
        #expect(
            throws: FileError.damagedSnapshot(
                path: "a.snapshot", reason: "its records differ from its manifest")
        ) { try Self.verify(file) }
    }

    @Test("Counts whose sum overflows an integer are refused")
    func countsThatOverflow() throws {
        let count = SnapshotCollection(name: "a", count: .max, digest: 0)
        var other = count
        other.name = "b"
        let state = SnapshotState(collections: [:])
        var manifest = state.manifest()
        manifest.collections = [count, other]
        let bytes = manifest.bytes
        #expect(throws: SnapshotDamage("its collections have too many records")) { try SnapshotManifest(bytes) }
    }

    @Test("A stream that expands excessively is refused, and the writer writes none")
    func bomb() throws {
        let content = [UInt8](repeating: 7, count: 17 << 20)
        let compressor = ZstdFrameCompressor(level: 1)
        var writer = StreamWriter(compressor: compressor)
        writer.stream(content)
        #expect(writer.bytes.count > content.count)
        var reader = StreamReader(writer.bytes, decompressor: ZstdFrameDecompressor())
        #expect(try reader.stream(count: content.count) == content)

        var frame: [UInt8] = []
        let length = try #require(compressor.compress(content, appendingTo: &frame, limit: content.count))
        var hostile = StreamWriter(compressor: compressor)
        hostile.shortInteger(UInt64(content.count))
        hostile.byte(1)
        hostile.integer(UInt32(length))
        var hostileReader = StreamReader(hostile.bytes + frame, decompressor: ZstdFrameDecompressor())
        #expect(throws: SnapshotDamage("a stream grows to over 500 times its size")) {
            try hostileReader.stream(count: content.count)
        }
    }

    @Test("A small file does not make a reader allocate much memory")
    func hostileRecord() throws {
        /// A block of one record with one text of many empty lines, which are numbers without any bits.
        func block(claiming byteCount: UInt64) throws -> BlockReader {
            var writer = StreamWriter(compressor: ZstdFrameCompressor(level: 0))
            func constant(_ number: UInt64) {
                writer.byte(0)
                writer.shortInteger(number)
                writer.shortInteger(1)
                writer.byte(0)
            }
            writer.shortInteger(1)
            for byte in [1, 1, 6] as [UInt8] { writer.byte(byte) }
            constant(2)
            writer.byte(KeyCoding.prefixes.rawValue)
            constant(0)
            constant(1)
            writer.stream([7])
            writer.byte(TextCoding.lines.rawValue)
            constant(byteCount / 4 - 1)
            writer.byte(TextCoding.plain.rawValue)
            constant(0)
            writer.shortInteger(0)
            return try BlockReader(
                writer.bytes, byteCount: byteCount, count: 1, decompressor: ZstdFrameDecompressor())
        }
        #expect(throws: SnapshotDamage("a block is too large")) { try block(claiming: 1 << 30) }
        #expect(throws: SnapshotDamage("a text has too many lines")) { try block(claiming: 64 << 20) }
    }

    @Test("A block of arbitrary bytes gives records or an error", arguments: 0..<30)
    func hostileBlocks(seed: UInt64) throws {
        var random = RandomRecords(seed: seed + 7)
        var columns = BlockColumns()
        let kind = random.below(4)
        var keys = (0..<(1 + random.below(300))).map { _ in random.key(kind) }
        keys.sort { $0.precedes($1) }
        for key in keys {
            if random.chance(20) {
                columns.appendRemoval(of: key.span.bytes)
            } else {
                let value = random.value(odd: random.chance(9))
                columns.append(key: key.span.bytes, value: value.span.bytes)
            }
        }
        // Level 1 and short streams, many of which are not compressed, so that changed bytes are read as other values.
        let block = BlockWriter(level: 1).bytes(of: columns)
        let decompressor = ZstdFrameDecompressor()
        #expect(read(Array(block.dropFirst(8)), columns, decompressor) == columns.count)
        for _ in 0..<400 {
            var hostile = Array(block.dropFirst(8))
            for _ in 0...random.below(3) {
                let position = random.chance(2) ? random.below(min(200, hostile.count)) : random.below(hostile.count)
                switch random.below(4) {
                case 0: hostile[position] ^= 1 << UInt8(random.below(8))
                case 1: hostile[position] = [0, 1, 2, 3, 0x7F, 0x80, 0xFF][random.below(7)]
                case 2: hostile.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
                default: hostile.remove(at: position)
                }
                if hostile.isEmpty { break }
            }
            _ = read(hostile, columns, decompressor)
        }
    }

    /// The number of records that are read; nil for an error.
    private func read(_ bytes: [UInt8], _ columns: BlockColumns, _ decompressor: ZstdFrameDecompressor) -> Int? {
        do {
            var reader = try BlockReader(
                bytes, byteCount: UInt64(columns.byteCount), count: columns.count, decompressor: decompressor)
            var key: [UInt8] = []
            var value: [UInt8] = []
            var count = 0
            while try reader.next(key: &key, value: &value) != nil { count += 1 }
            return count
        } catch {
            return nil
        }
    }
}
