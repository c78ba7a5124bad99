import Foundation
import KeyValue
import TestSupport
import Testing

/// Files like those that were published for LMDB (CVE-2019-16224 to 16228): one field of a page has a value that LMDB never
/// writes and that its code follows. Each is read by another process, which has to answer.
struct CraftedFileTests {
    private static let pageSize = 4096

    /// Reads and writes the crafted files, until one of them ends it.
    private let child: ChildProcess

    init() throws {
        child = try ChildProcess()
    }

    /// A closed store with a table of 400 entries on several pages, some of them on overflow pages, and free pages.
    private func closedStore() async throws -> (store: TestStore, file: Data) {
        let store = try TestStore()
        let table = store.table
        for round in 0..<4 {
            try await store.environment.write { transaction in
                for number in 0..<400 where number % 4 == round || number % 7 == round {
                    let count = number % 50 == 0 ? 9000 : 40
                    try transaction.put(
                        bytes("key \(number)"), [UInt8](repeating: UInt8(round), count: count), in: table)
                }
            }
        }
        store.environment.close()
        return (store, try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
    }

    /// Writes the file with some bytes changed, and returns what a process answers to a command; nil if it ended.
    private func answer(
        _ store: TestStore, _ file: Data, _ changes: [Int: [UInt8]], to command: String = "read-all"
    ) throws -> String? {
        var file = file
        for (offset, bytes) in changes { file.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        try file.write(to: URL(fileURLWithPath: store.dataFile))
        try? FileManager.default.removeItem(atPath: store.folder.file("store/lock.mdb"))
        defer { _ = try? child.ask("close") }
        return try child.ask("\(command) \(store.path)")
    }

    private func number<Number: FixedWidthInteger>(_ file: Data, _ offset: Int, as type: Number.Type) -> Int {
        Int(truncatingIfNeeded: file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
    }

    /// Where the pages of trees begin, with their flags.
    private func treePages(_ file: Data) -> [Int] {
        (2..<file.count / Self.pageSize).map { $0 * Self.pageSize }.filter {
            [1, 2].contains(number(file, $0 + 10, as: UInt16.self))
                && number(file, $0, as: UInt64.self) == $0 / Self.pageSize
        }
    }

    /// Where the first nodes of the leaves begin.
    private func firstNodes(_ file: Data) -> [Int] {
        treePages(file).filter {
            number(file, $0 + 10, as: UInt16.self) == 2 && number(file, $0 + 12, as: UInt16.self) > 16
        }
        .map { $0 + number(file, $0 + 16, as: UInt16.self) }
    }

    /// Flags that LMDB keeps in two bytes: each alone, and some together.
    private static let flags: [[UInt8]] =
        (0..<8).map { [1 << $0, 0] } + [[0x06, 0], [0x14, 0], [0x3E, 0], [0, 0x80]]

    @Test("The valid file is read whole")
    func validFile() async throws {
        let (store, file) = try await closedStore()
        #expect(try answer(store, file, [:]) == "read 800")
        #expect(try answer(store, file, [:], to: "write-one") == "ok")
    }

    @Test("A size of pages of zero, and others that are none, are refused (CVE-2019-16228)")
    func pageSizes() async throws {
        let (store, file) = try await closedStore()
        for size in [0, 1, 256, 4095, 1 << 16, 1 << 31] as [UInt32] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
            for changes in [[40: bytes], [Self.pageSize + 40: bytes], [40: bytes, Self.pageSize + 40: bytes]] {
                #expect(try answer(store, file, changes) == "error damaged", "\(size)")
                #expect(try answer(store, file, changes, to: "write-one") == "error damaged", "\(size)")
            }
        }
    }

    @Test("Flags of tables with other orders and duplicates are refused (CVE-2019-16224)")
    func tableFlags() async throws {
        let (store, file) = try await closedStore()
        // Pages that are free now have former heads.
        var heads: [Int] = []
        while let name = file.range(of: Data("main".utf8), in: (heads.last ?? 8192)..<file.count) {
            heads.append(name.upperBound)
        }
        for flags in Self.flags where flags != [0x08, 0] {
            // The lists of free pages and of tables, in both meta pages, and the head of the table.
            for places in [[44, Self.pageSize + 44], [92, Self.pageSize + 92], heads.map { $0 + 4 }] {
                let changes = Dictionary(uniqueKeysWithValues: places.map { ($0, flags) })
                #expect(try answer(store, file, changes) != nil, "\(flags) \(places)")
                #expect(try answer(store, file, changes, to: "write-one") == "error damaged", "\(flags) \(places)")
            }
        }
    }

    @Test("Flags of pages, sizes and flags of nodes that LMDB never writes end no reader (CVE-2019-16225 to 16227)")
    func pagesAndNodes() async throws {
        let (store, file) = try await closedStore()
        for page in treePages(file) {
            for flags in Self.flags.prefix(6) {
                let damaged = UInt8(number(file, page + 10, as: UInt8.self)) | flags[0]
                #expect(try answer(store, file, [page + 10: [damaged, 0]]) != nil)
            }
        }
        for node in firstNodes(file) {
            for flags in Self.flags.prefix(4) { #expect(try answer(store, file, [node + 4: flags]) != nil) }
            #expect(try answer(store, file, [node + 2: [0xFF, 0xFF]]) != nil)
            #expect(try answer(store, file, [node + 6: [0xFF, 0xFF]]) != nil)
        }
    }

    @Test("A list of free pages that LMDB would trust refuses the first write, and no read")
    func freeList() async throws {
        let (store, file) = try await closedStore()
        let newest = [0, Self.pageSize].max {
            number(file, $0 + 144, as: UInt64.self) < number(file, $1 + 144, as: UInt64.self)
        }!
        let root = number(file, newest + 80, as: UInt64.self) * Self.pageSize
        let value = root + number(file, root + 16, as: UInt16.self) + 16
        try #require(number(file, value, as: UInt64.self) > 1)
        let second = (0..<8).map { UInt8(truncatingIfNeeded: number(file, value + 16, as: UInt64.self) >> ($0 * 8)) }
        let crafted: [[Int: [UInt8]]] = [
            // More pages than the value has; the same page twice; the meta page; a page beyond the file.
            [value: [0xFF, 0xFF, 0xFF, 0x7F]], [value + 8: second], [value + 16: [1, 0, 0, 0, 0, 0, 0, 0]],
            [value + 8: [0, 0, 0, 0, 1, 0, 0, 0]],
        ]
        for changes in crafted {
            #expect(try answer(store, file, changes) == "read 800")
            #expect(try answer(store, file, changes, to: "write-one") == "error damaged")
        }
        // Without the check LMDB believes it, which ends the process or damages the store.
        _ = try answer(store, file, crafted[2])
        let unprotected = try ChildProcess(explainsSignals: false)
        defer { unprotected.kill() }
        #expect(try unprotected.ask("write-one \(store.path) \(PageChecks.lists.rawValue)") != "error damaged")
    }
}
