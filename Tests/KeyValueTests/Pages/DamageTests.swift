import Foundation
import KeyValue
import Testing

struct DamageTests {
    /// A closed store with some data, and the length of its data file.
    private func closedStore() async throws -> (TestStore, length: Int) {
        let store = try TestStore()
        for number in 0..<60 as Range<UInt8> { try await store.put([number], [UInt8](repeating: number, count: 3000)) }
        store.environment.close()
        let length = try FileManager.default.attributesOfItem(atPath: store.dataFile)[.size] as? Int
        return (store, length!)
    }

    private func openingFails(_ store: TestStore) -> KeyValueError? {
        do {
            let environment = try Environment.open(at: store.path, creatingWith: NewStoreContent(tables: ["main"]))
            environment.close()
            return nil
        } catch {
            return error
        }
    }

    @Test("A truncated data file is refused and left unchanged")
    func aDataFileThatIsCutShortIsRefusedAndLeftAsItIs() async throws {
        let (store, length) = try await closedStore()
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        #expect(length >= 40 * 4096)
        let lengths = [0, 1, 100, 4096, 8191, 8192, 12288, length / 2, length - 8 * 4096, length - 4096, length - 1]
        for cut in lengths {
            try whole.prefix(cut).write(to: URL(fileURLWithPath: store.dataFile))
            #expect(isDamaged(openingFails(store)), "cut to \(cut) of \(length)")
            try #expect(Data(contentsOf: URL(fileURLWithPath: store.dataFile)) == whole.prefix(cut))
        }
        try whole.write(to: URL(fileURLWithPath: store.dataFile))
        #expect(openingFails(store) == nil)
    }

    @Test("A data file in another format is refused")
    func aDataFileOfSomethingElseIsRefused() async throws {
        let (store, length) = try await closedStore()
        var dice = Dice(13)
        for data in [Data(dice.bytes(length...length)), Data(repeating: 0, count: length)] {
            try data.write(to: URL(fileURLWithPath: store.dataFile))
            #expect(isDamaged(openingFails(store)))
            try #expect(Data(contentsOf: URL(fileURLWithPath: store.dataFile)) == data)
        }
    }

    @Test("An impossible number of the last page is refused, and opening ends", .timeLimit(.minutes(15)))
    func anImpossibleNumberOfTheLastPageIsRefusedAndNotFollowedForEver() async throws {
        let (store, _) = try await closedStore()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        // The number's eight bytes are at offset 136 of each meta page; both pages are changed, since the newer one is
        // used.
        for bit in [52, 54, 58, 61, 63] {
            var damaged = whole
            for page in [0, 4096] { damaged[page + 136 + bit / 8] ^= 1 << UInt8(bit % 8) }
            try Data(damaged).write(to: URL(fileURLWithPath: store.dataFile))
            #expect(isDamaged(openingFails(store)), "bit \(bit)")
        }
    }

    @Test("A file that lacks only free pages is complete")
    func aFileWithoutOnlyFreePagesIsWhole() async throws {
        // After filling and emptying, the free list names most of the file, on several pages.
        let store = try TestStore()
        let table = store.table
        try await store.environment.write { transaction in
            let value = [UInt8](repeating: 1, count: 3000)
            for number in 0..<3000 { try transaction.put(bytes("\(number)"), value, in: table) }
        }
        try await store.environment.write { try $0.removeAll(in: table) }
        try await store.put([1], [1])
        store.environment.close()
        #expect(openingFails(store) == nil)
        // The last page is free now, so its bytes do not matter; the page of a root does.
        let whole = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        try whole.prefix(whole.count - 4096).write(to: URL(fileURLWithPath: store.dataFile))
        let failure = openingFails(store)
        #expect(failure == nil || isDamaged(failure))
        try whole.prefix(4 * 4096).write(to: URL(fileURLWithPath: store.dataFile))
        #expect(isDamaged(openingFails(store)))
    }

    @Test("A page without values is damaged")
    func aPageThatSaysItHasNoValuesIsDamaged() async throws {
        let store = try TestStore()
        try await store.put([1], bytes("a value that is found on its page"))
        store.environment.close()
        var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        let value = bytes("a value that is found on its page")
        for page in stride(from: 8192, to: file.count, by: 4096)
        where file[page..<page + 4096].contains(subsequence: value) {
            file[page + 10] |= 0x20
        }
        try Data(file).write(to: URL(fileURLWithPath: store.dataFile))
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        #expect(throws: KeyValueError.self) {
            try environment.read { try $0.withCursor(over: table) { _ = try $0.moveToFirst() } }
        }
    }

    @Test("Meta pages that disagree about the size of the store are refused; LMDB would demand growth forever")
    func sizesThatDisagree() async throws {
        let (store, _) = try await closedStore()
        var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        // Where a meta page has its last page, and its transaction behind that. LMDB takes the size from the page with the higher
        // number, and the state from the page of the number's parity.
        let even = 136
        file.replaceSubrange(even..<even + 16, with: [1, 0, 0, 0, 0, 0, 0, 14] + [UInt8](repeating: 0, count: 8))
        let odd = 4096 + 136
        file.replaceSubrange(odd..<odd + 16, with: [255, 255, 255, 255, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
        try Data(file).write(to: URL(fileURLWithPath: store.dataFile))
        #expect(isDamaged(openingFails(store)))
    }

    @Test("Meta pages of transactions that do not alternate are refused")
    func metaPagesThatAreNotOfTwoTransactionsInTurnAreRefused() async throws {
        let (store, _) = try await closedStore()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        // Where a meta page has its transaction.
        let numbers = [144, 4096 + 144]
        func number(_ file: [UInt8], _ page: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(file[numbers[page] + $1]) << UInt64(8 * $1) }
        }
        #expect(Set([number(whole, 0), number(whole, 1)]).count == 2)
        for page in 0...1 {
            for bit in 0..<64 {
                var file = whole
                file[numbers[page] + bit / 8] ^= 1 << UInt8(bit % 8)
                try Data(file).write(to: URL(fileURLWithPath: store.dataFile))
                let other = number(file, 1 - page)
                // One flip in 64 makes it the next number but one, which cannot be detected.
                let isInTurn = number(file, page) == other &+ 1 || number(file, page) &+ 1 == other
                #expect(isDamaged(openingFails(store)) == (bit == 0 || !isInTurn), "bit \(bit) of page \(page)")
            }
        }
        var swapped = whole
        swapped.replaceSubrange(0..<4096, with: whole[4096..<8192])
        swapped.replaceSubrange(4096..<8192, with: whole[0..<4096])
        try Data(swapped).write(to: URL(fileURLWithPath: store.dataFile))
        #expect(isDamaged(openingFails(store)))
        try Data(whole).write(to: URL(fileURLWithPath: store.dataFile))
        #expect(openingFails(store) == nil)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: subsequence) }
    }
}
