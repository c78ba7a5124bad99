import DiskImages
import Foundation
import KeyValue
import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct ReachablePagesTests {
    /// Returns the data file of a store with some tables, entries on leaf and overflow pages, and free pages.
    static func dataFile(entries: Int) async throws -> [UInt8] {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.file("store")
        let names = ["one", "two", "three", "empty"]
        let store = try Environment.open(at: folder, creatingWith: NewStoreContent(tables: names))
        defer { store.close() }
        let tables = try store.openTables(names)
        try await store.write { transaction in
            for entry in 0..<entries {
                let key = withUnsafeBytes(of: UInt64(entry).bigEndian) { Array($0) }
                for table in tables[..<3] {
                    let size = table.name == "two" && entry % 7 == 0 ? 3000 + entry * 20 : 40
                    let value = bytes(UInt8(truncatingIfNeeded: entry), count: size)
                    try transaction.put(key.span.bytes, value.span.bytes, in: table)
                }
            }
        }
        for part in 0..<3 {
            try await store.write { transaction in
                for entry in stride(from: part, to: entries, by: 9) {
                    let key = withUnsafeBytes(of: UInt64(entry).bigEndian) { Array($0) }
                    for table in tables[..<3] { _ = try transaction.delete(key.span.bytes, in: table) }
                }
            }
        }
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/data.mdb")))
    }

    static func word(_ file: [UInt8], at offset: Int) -> Int {
        (0..<8).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }

    static func newerMeta(_ file: [UInt8]) -> Int {
        word(file, at: 144) < word(file, at: 4096 + 144) ? 4096 : 0
    }

    /// Returns the pages of the free list from its leaf. The test files are too small for branches or overflow pages in
    /// it.
    static func freePages(_ file: [UInt8]) throws -> Set<Int> {
        let root = word(file, at: newerMeta(file) + 80)
        guard root >= 0 else { return [] }
        let page = Array(file[root * 4096..<(root + 1) * 4096])
        try #require(page[10] == 2)
        var free: Set<Int> = []
        for slot in stride(from: 16, to: Int(page[12]) | Int(page[13]) << 8, by: 2) {
            let node = Int(page[slot]) | Int(page[slot + 1]) << 8
            try #require(page[node + 4] == 0)
            for entry in 0..<word(page, at: node + 16) { free.insert(word(page, at: node + 24 + 8 * entry)) }
        }
        return free
    }

    @Test(
        "Every page is either free or reachable: big and small trees, several tables, overflow runs",
        arguments: TestBudget.isLong ? [0, 5, 40, 400] : [0, 5, 40, 150])
    func wholeStore(entries: Int) async throws {
        let file = try await Self.dataFile(entries: entries)
        let reach = try #require(ReachablePages(FileContent(file)))
        let lastPage = Self.word(file, at: Self.newerMeta(file) + 136)
        #expect(reach.count == lastPage + 1 - (try Self.freePages(file)).count)
    }

    @Test("A byte of an unreachable page does not affect the digest; any other byte does")
    func reachableDigest() async throws {
        let file = try await Self.dataFile(entries: 40)
        let free = try Self.freePages(file)
        #expect(free.count > 3)
        let whole = DiskImage(files: ["d/data.mdb": file])
        let reachableDigest = try #require(whole.reachableDigest(of: "d/data.mdb"))
        let lastPage = Self.word(file, at: Self.newerMeta(file) + 136)
        for page in 0...lastPage {
            for offset in [10, 2000, 4095] where page * 4096 + offset < file.count {
                var changed = file
                changed[page * 4096 + offset] ^= 0x40
                let image = DiskImage(files: ["d/data.mdb": changed])
                #expect(
                    (image.reachableDigest(of: "d/data.mdb") == reachableDigest) == free.contains(page),
                    "page \(page) at \(offset)")
                #expect((image.imageDigest() == whole.imageDigest()) == free.contains(page))
                #expect(image.digest != whole.digest)
            }
        }
        let longer = DiskImage(files: ["d/data.mdb": file + [0]])
        #expect(longer.reachableDigest(of: "d/data.mdb") != reachableDigest)
    }

    @Test("An invalid data file is digested with all its bytes")
    func notAStore() async throws {
        let file = try await Self.dataFile(entries: 40)
        for cut in [0, 100, 4096, 8192, 8192 + 4096] {
            let content = FileContent(Array(file[..<cut]))
            #expect(ReachablePages(content) == nil)
            #expect(DiskImage(files: ["f": Array(file[..<cut])]).reachableDigest(of: "f") == content.digest)
        }
        #expect(DiskImage().reachableDigest(of: "f") == nil)
    }

    @Test("Damage to any byte is tolerated")
    func damage() async throws {
        let file = try await Self.dataFile(entries: 40)
        var bits = SeededGenerator(seed: 1)
        for _ in 0..<TestBudget.count(500, long: 3000) {
            var changed = FileContent(file)
            changed.write([UInt8(truncatingIfNeeded: bits.next())], at: bits.number(below: file.count))
            changed.write(
                [UInt8(truncatingIfNeeded: bits.next())], at: bits.number(below: 40) * 4096 + bits.number(below: 160))
            _ = ReachablePages(changed)?.digest
        }
    }

    @Test("A lock file does not affect the digest; other files and names do")
    func otherFiles() {
        let image = DiskImage(files: ["data.mdb": [1], "lock.mdb": [2], "note": [3]])
        #expect(image.imageDigest() == DiskImage(files: ["data.mdb": [1], "note": [3]]).imageDigest())
        #expect(image.imageDigest() == DiskImage(files: ["data.mdb": [1], "lock.mdb": [4], "note": [3]]).imageDigest())
        #expect(image.imageDigest() != DiskImage(files: ["data.mdb": [1], "note": [4]]).imageDigest())
        #expect(image.imageDigest() != DiskImage(files: ["data.mdb": [1]]).imageDigest())
    }
}
