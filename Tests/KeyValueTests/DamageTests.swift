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

    @Test func aDataFileThatIsCutShortIsRefusedAndLeftAsItIs() async throws {
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

    @Test func aDataFileOfSomethingElseIsRefused() async throws {
        let (store, length) = try await closedStore()
        var generator = Generator(seed: 13)
        for data in [Data(generator.bytes(length...length)), Data(repeating: 0, count: length)] {
            try data.write(to: URL(fileURLWithPath: store.dataFile))
            #expect(isDamaged(openingFails(store)))
            try #expect(Data(contentsOf: URL(fileURLWithPath: store.dataFile)) == data)
        }
    }

    @Test func aFileWithoutOnlyFreePagesIsWhole() async throws {
        // Fill, empty, and look: the free list then names most of the file, over several pages of its own.
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
}
