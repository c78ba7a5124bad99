import Foundation
import KeyValue
import Testing

/// Holds the last reference to a store until a closure on the writer thread lets it go.
private final class LastReference: @unchecked Sendable {
    var environment: Environment?
    init(_ environment: Environment) { self.environment = environment }
}

struct RegistryTests {
    @Test("S-14: a folder that is opened twice gives one environment, through a link as well")
    func oneEnvironmentPerFolder() throws {
        let store = try TestStore()
        let link = store.folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        for path in [store.path, "\(store.path)/", "\(store.path)/../store", link] {
            try #expect(Environment.open(at: path) === store.environment)
        }
    }

    @Test("Close then reopen")
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

    @Test("An environment that goes late does not forget its successor")
    func anEnvironmentThatGoesLateDoesNotForgetItsSuccessor() throws {
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

    @Test("The last reference may go on the writer thread")
    func theLastReferenceMayGoOnTheWriterThread() async throws {
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

    /// Keeps no reference of its own beyond the call.
    private func write(
        to environment: consuming Environment,
        _ body: @escaping @Sendable (consuming RawWriteTransaction) throws -> Void
    ) async throws {
        try await environment.write(body)
    }

    @Test("S-14: sixteen tasks read, write, open and close one store")
    func stress() async throws {
        let store = try TestStore()
        let table = store.table
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var generator = Generator(seed: UInt64(worker))
                    for round in 0..<60 {
                        switch generator.below(4) {
                        case 0: try #expect(Environment.open(at: store.path) === store.environment)
                        case 1: _ = try store.contents()
                        default: break
                        }
                        try await store.put(bytes("\(worker) \(round)"), generator.bytes(0...2000))
                        try store.environment.read { transaction in
                            let key = bytes("\(worker) \(round)")
                            try #expect(transaction.contains(key.span.bytes, in: table))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try #expect(store.contents().count == 16 * 60)
    }

    @Test("Opening and closing at once never meets a closed store")
    func openingAndClosingAtOnceNeverMeetsAClosedStore() async throws {
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

    @Test("Reader slots that run out are an error and come back")
    func readerSlotsThatRunOutAreAnErrorAndComeBack() throws {
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
