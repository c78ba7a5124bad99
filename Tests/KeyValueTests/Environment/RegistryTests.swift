import Foundation
import KeyValue
import TestSupport
import Testing

/// Holds the last reference to a store until a closure on the writer thread lets it go.
private final class LastReference: @unchecked Sendable {
    var environment: Environment?
    init(_ environment: Environment) { self.environment = environment }
}

struct RegistryTests {
    @Test("Opening a folder twice returns one environment, also through a link [S-14]")
    func oneEnvironmentPerFolder() throws {
        let store = try TestStore()
        let link = store.folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        for path in [store.path, "\(store.path)/", "\(store.path)/../store", link] {
            try #expect(Environment.open(at: path) === store.environment)
        }
    }

    @Test("A closed store opens again with everything that was written")
    func closeThenReopen() async throws {
        let store = try TestStore()
        for number in 0..<10 as Range<UInt8> {
            let environment = try Environment.open(at: store.path)
            let table = try environment.openTables(["main"])[0]
            try await environment.write { try $0.put([number], [number], in: table) }
            try #expect(environment.read { try $0.entryCount(of: table) } == Int(number) + 1)
            environment.close()
        }
    }

    @Test("Closing an environment late does not unregister its successor")
    func lateClose() throws {
        let store = try TestStore()
        var first: Environment? = try Environment.open(at: store.path)
        first?.close()
        store.environment.close()
        let second = try Environment.open(at: store.path)
        #expect(second !== first)
        first?.close()
        first = nil
        try #expect(Environment.open(at: store.path) === second)
    }

    @Test("The last reference may be released on the writer thread")
    func lastReferenceOnWriterThread() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        for number in 0..<20 as Range<UInt8> {
            let environment = try Environment.open(at: path, creatingWith: NewStoreContent(tables: ["main"]))
            let table = try environment.openTables(["main"])[0]
            let last = LastReference(environment)
            try await write(to: environment) { transaction in
                try transaction.put([number], [number], in: table)
                last.environment = nil
            }
        }
        let environment = try Environment.open(at: path)
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.entryCount(of: table) } == 20)
    }

    /// Keeps no reference beyond the call.
    private func write(
        to environment: consuming Environment,
        _ body: @escaping @Sendable (consuming RawWriteTransaction) throws -> Void
    ) async throws {
        try await environment.write(body)
    }

    /// What one task of the stress test did.
    private struct Work {
        var written = 0
        var closes = 0
    }

    @Test("Sixteen tasks open, read, write and close one store, and no acknowledged write is lost [S-14]")
    func stress() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let content = NewStoreContent(tables: ["main"])
        let total = try await withThrowingTaskGroup(of: Work.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var work = Work()
                    var dice = Dice(UInt64(worker))
                    for round in 0..<60 {
                        let key = bytes("\(worker) \(round)")
                        let value = dice.bytes(0...2000)
                        // Another task may close the store between the opening and the write; nothing was written then.
                        while true {
                            do {
                                let environment = try Environment.open(at: path, creatingWith: content)
                                let table = try environment.openTables(["main"])[0]
                                try await environment.write { try $0.put(key, value, in: table) }
                                break
                            } catch KeyValueError.closed {
                                continue
                            }
                        }
                        work.written += 1
                        let environment = try Environment.open(at: path, creatingWith: content)
                        do {
                            let table = try environment.openTables(["main"])[0]
                            try #expect(environment.read { try $0.value(of: key, in: table) } == value)
                        } catch KeyValueError.closed {}
                        if dice.below(4) == 0 {
                            environment.close()
                            work.closes += 1
                        }
                    }
                    return work
                }
            }
            return try await group.reduce(into: Work()) { sum, work in
                sum.written += work.written
                sum.closes += work.closes
            }
        }
        #expect(total.written == 16 * 60)
        #expect(total.closes > 100)
        let environment = try Environment.open(at: path)
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.entryCount(of: table) } == 16 * 60)
        environment.close()
    }

    @Test("Opening while the last reference goes away never returns a closed store")
    func openingWhileReleasing() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 as Range<UInt8> {
                group.addTask {
                    for round in 0..<25 as Range<UInt8> {
                        let environment = try Environment.open(
                            at: path, creatingWith: NewStoreContent(tables: ["main"]))
                        let table = try environment.openTables(["main"])[0]
                        try await environment.write { try $0.put([worker, round], [1], in: table) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let environment = try Environment.open(at: path)
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.entryCount(of: table) } == 200)
    }

    @Test("Running out of reader slots is an error, and the slots are free again afterward")
    func readerSlots() throws {
        let store = try TestStore(readerSlots: 20)
        func nest(_ depth: Int) throws {
            try store.environment.read { _ in
                if depth > 0 { try nest(depth - 1) }
            }
        }
        #expect(throws: KeyValueError.tooManyReaders) { try nest(30) }
        for _ in 0..<3 { try nest(15) }
    }
}
