import Foundation
import KeyValue
import TestSupport
import Testing

struct PageCensusTests {
    /// A store with many entries, values on overflow pages, and deletions, so that pages are free.
    private func livedIn(seed: UInt64, checking: (TestStore) throws -> Void = { _ in }) async throws -> TestStore {
        let store = try TestStore()
        let table = store.table
        for round in 0..<24 {
            try await store.environment.write { transaction in
                var dice = Dice(seed &* 1000 &+ UInt64(round))
                for _ in 0..<40 {
                    let key = dice.bytes(1...40, alphabet: 7)
                    if dice.below(3) == 0 {
                        try transaction.delete(key, in: table)
                    } else {
                        let longest = dice.below(9) == 0 ? 20_000 : 200
                        try transaction.put(key, dice.bytes(0...longest), in: table)
                    }
                }
            }
            try checking(store)
        }
        return store
    }

    @Test("The page census finds no problem after any commit", arguments: [1, 2, 3] as [UInt64])
    func nothingIsWrongAfterAnyCommit(seed: UInt64) async throws {
        let store = try await livedIn(seed: seed) { store in
            let problems = try store.environment.pageProblems().all
            #expect(problems == [])
        }
        try await store.environment.write { try $0.removeAll(in: store.table) }
        #expect(try store.environment.pageProblems().all == [])
    }

    /// Changes bytes of the closed store's file and takes the census. What is wrong with the list of tables refuses the store
    /// already when it is opened, in the same words.
    private func problems(_ path: String, _ data: Data, changing changes: [Int: UInt8]) throws -> [String] {
        var data = data
        for (offset, byte) in changes { data[offset] ^= byte }
        try data.write(to: URL(fileURLWithPath: path))
        do {
            let environment = try Environment.open(at: (path as NSString).deletingLastPathComponent)
            defer { environment.close() }
            return try environment.pageProblems().all
        } catch KeyValueError.damaged(_, let detail) {
            return [detail]
        }
    }

    /// A regression found by `Scripts/fuzz`: LMDB ended the process when it committed.
    @Test("Names of tables that are out of order refuse the first write, and no read")
    func tableNamesOutOfOrder() throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let names = ["first", "main", "second", "third"]
        try Environment.open(at: path, creatingWith: NewStoreContent(tables: names)).close()
        let file = URL(fileURLWithPath: "\(path)/data.mdb")
        var data = try Data(contentsOf: file)
        var start = data.startIndex
        while let found = data.range(of: Data("second".utf8), in: start..<data.endIndex) {
            data[found.lowerBound] = UInt8(ascii: "a")
            start = found.upperBound
        }
        try data.write(to: file)
        let environment = try Environment.open(at: path)
        defer { environment.close() }
        let table = try environment.openTables(["third"])[0]
        #expect(try environment.read { try $0.entryCount(of: table) } == 0)
        #expect(try environment.pageProblems().all.contains { $0.contains("the names of tables are out of order") })
        do {
            try environment.write { try $0.put([1], [1], in: table) }
            Issue.record("it was written to")
        } catch KeyValueError.damaged(_, let detail) {
            #expect(detail.contains("the names of tables are out of order"))
        }
    }

    @Test("A page in the wrong position is found")
    func aPageThatIsElsewhereThanItSaysIsFound() async throws {
        let store = try await livedIn(seed: 4)
        let pages = try store.environment.read { try $0.pageCount(of: store.table) }
        store.environment.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        var found = 0
        for page in 2..<data.count / 4096 {
            // Its own number, in its first bytes.
            let problems = try problems(store.dataFile, data, changing: [page * 4096: 1])
            if problems.contains(where: { $0.contains("page \(page): has the number \(page ^ 1)") }) {
                found += 1
            }
        }
        // Every first page of something in use, and no page that is free or in the middle of an overflow run.
        #expect(found > 20 && found <= pages + 4)
    }

    @Test("A page that is in use and on the free list is found")
    func aPageThatIsInUseAndOnTheFreeListIsFound() async throws {
        let store = try await livedIn(seed: 5)
        store.environment.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        // The newer meta page's record of the free list ends in its first page; the list's first value is its last node.
        let metas = [0, 4096].map { offset in
            data.withUnsafeBytes { ($0.loadUnaligned(fromByteOffset: offset + 144, as: UInt64.self), offset) }
        }
        let meta = try #require(metas.max { $0.0 < $1.0 }).1
        let root = data.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: meta + 80, as: UInt64.self)) }
        let page = root * 4096
        let node = data.withUnsafeBytes { page + Int($0.loadUnaligned(fromByteOffset: page + 16, as: UInt16.self)) }
        // Behind the node's head, its key of 8 bytes, and the count of pages.
        let entry = node + 8 + 8 + 8
        let listed = data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: entry, as: UInt64.self) }
        #expect(listed > 1 && listed < UInt64(data.count / 4096))
        let problems = try problems(
            store.dataFile, data,
            changing: [
                entry: UInt8(truncatingIfNeeded: listed ^ UInt64(root)),
                entry + 1: UInt8(truncatingIfNeeded: (listed ^ UInt64(root)) >> 8),
            ])
        #expect(problems.contains("data.mdb, page \(root): both in use and free"))
    }

    @Test("A wrong count and a flag that LMDB never writes are found")
    func countsAndFlags() async throws {
        let store = try await livedIn(seed: 6)
        store.environment.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        var flags = 0
        var layouts = 0
        for page in 2..<data.count / 4096 {
            // The flag of pages that are being changed, and the end of the free space.
            if try problems(store.dataFile, data, changing: [page * 4096 + 10: 0x10]).contains(where: {
                $0.contains("wrong type")
            }) {
                flags += 1
            }
            if try problems(store.dataFile, data, changing: [page * 4096 + 15: 0x10]).contains(where: {
                $0.contains("overlap")
            }) {
                layouts += 1
            }
        }
        #expect(flags > 5 && layouts > 5)
        // The head of the table `main` is the only entry of the list of tables.
        let name = try #require(data.range(of: Data("main".utf8), in: 8192..<data.count))
        let leafPages = name.upperBound + 16
        let wrongHead = try problems(store.dataFile, data, changing: [leafPages: 1])
        #expect(wrongHead.contains { $0.contains("differs from its head") })
    }

    @Test(
        "Every flipped bit of the place of an entry is found, where it leads to another entry and where it leads into one"
    )
    func placesOfEntries() async throws {
        let store = try await livedIn(seed: 8)
        store.environment.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        var examined = 0
        for page in 2..<data.count / 4096 where examined < 4 {
            let isInUse = try !problems(store.dataFile, data, changing: [page * 4096: 1]).isEmpty
            guard isInUse, data[page * 4096 + 10] <= 2 else { continue }
            examined += 1
            for bit in 0..<16 {
                let offset = page * 4096 + 16 + bit / 8
                let found = try problems(store.dataFile, data, changing: [offset: 1 << UInt8(bit % 8)])
                #expect(!found.isEmpty, "page \(page), bit \(bit)")
            }
        }
        #expect(examined == 4)
    }

    @Test("Wrong flags and depths of the free list and of the list of tables are found")
    func headsOfTheMetaPage() async throws {
        let store = try await livedIn(seed: 7)
        store.environment.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        let newest = try #require(
            [0, 4096].max { (left: Int, right: Int) in
                data.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: left + 144, as: UInt64.self)
                        < $0.loadUnaligned(fromByteOffset: right + 144, as: UInt64.self)
                }
            })
        for (name, head) in [("the free list", 40), ("the list of tables", 88)] {
            // The order of duplicates, which LMDB would write the next entries in, and the depth.
            let flags = try problems(store.dataFile, data, changing: [newest + head + 4: 0x04])
            #expect(flags.contains { $0.contains("\(name): its head has invalid flags") })
            let depth = try problems(store.dataFile, data, changing: [newest + head + 6: 0x04])
            #expect(depth.contains { $0.contains("\(name): the depth") })
        }
    }
}
