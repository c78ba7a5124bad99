import Foundation
import KeyValue
import Synchronization
import TestSupport
import Testing

/// A new store with one table, closed and removed when the value is released.
final class TestStore: Sendable {
    let folder = TemporaryFolder()
    let environment: Environment
    let table: Table

    var path: String { folder.file("store") }
    var dataFile: String { folder.file("store/data.mdb") }

    init(
        initial: Int = 1 << 20, ceiling: Int = 1 << 30, readerSlots: Int = 126, lockWait: LockWait = .unlimited
    ) throws {
        var configuration = EnvironmentConfiguration(
            initialMapSize: initial, mapSizeCeiling: ceiling, readerSlots: readerSlots)
        configuration.lockWait = lockWait
        // The tests of the commit log open environments of their own.
        configuration.commitLog = .never
        environment = try Environment.open(
            at: folder.file("store"), configuration: configuration,
            creatingWith: NewStoreContent(tables: ["main"]))
        table = try environment.openTables(["main"])[0]
    }

    deinit {
        environment.close()
    }

    func put(_ key: [UInt8], _ value: [UInt8]) async throws {
        let table = table
        try await environment.write { try $0.put(key, value, in: table) }
    }

    func value(of key: [UInt8]) throws -> [UInt8]? {
        try environment.read { try $0.value(of: key, in: table) }
    }

    func contents() throws -> [[UInt8]: [UInt8]] {
        try environment.read { try $0.contents(of: table) }
    }

    var lastTransaction: UInt64 { environment.statistics.lastTransaction }
}

extension RawReadTransaction {
    func value(of key: [UInt8], in table: Table) throws -> [UInt8]? {
        try get(key.span.bytes, in: table) { $0.copied }
    }

    func contents(of table: Table) throws -> [[UInt8]: [UInt8]] {
        var contents: [[UInt8]: [UInt8]] = [:]
        try withCursor(over: table) { cursor in
            var found = try cursor.moveToFirst()
            while found {
                try cursor.withEntry { key, value in contents[key.copied] = value.copied }
                found = try cursor.moveToNext()
            }
        }
        return contents
    }
}

extension RawWriteTransaction {
    func put(_ key: [UInt8], _ value: [UInt8], in table: Table) throws(KeyValueError) {
        try put(key.span.bytes, value.span.bytes, in: table)
    }

    @discardableResult
    func delete(_ key: [UInt8], in table: Table) throws(KeyValueError) -> Bool {
        try delete(key.span.bytes, in: table)
    }
}

extension Cursor {
    mutating func seek(_ key: [UInt8]) throws(KeyValueError) -> Bool { try seek(key.span.bytes) }

    mutating func seekBefore(_ key: [UInt8]) throws(KeyValueError) -> Bool { try seekBefore(key.span.bytes) }
}

/// Bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The error that a piece of work throws, if it is one of the engine's.
func error(of work: () async throws -> Void) async -> KeyValueError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? KeyValueError
    }
}

func isStorageFull(_ error: KeyValueError?) -> Bool {
    if case .storageFull = error { true } else { false }
}

func isDamaged(_ error: KeyValueError?) -> Bool {
    if case .damaged = error { true } else { false }
}

/// Random choices that a seed determines.
typealias Dice = TestSupport.Dice

/// A flag that closures on several threads share.
final class Flag: Sendable {
    private let state = Atomic<Bool>(false)

    var isRaised: Bool { state.load(ordering: .acquiring) }

    func raise() {
        state.store(true, ordering: .releasing)
    }
}

/// Holds a store's writer thread inside a closure, so that other writes are queued.
final class BlockedWriter: Sendable {
    private let environment: Environment
    private let gate = DispatchSemaphore(value: 0)

    /// Returns when the writer thread is held.
    init(_ store: TestStore) async {
        environment = store.environment
        let environment = store.environment
        let gate = gate
        let (begun, begin) = AsyncStream<Void>.makeStream()
        Task {
            try await environment.write { _ in
                begin.finish()
                gate.wait()
            }
        }
        for await _ in begun {}
    }

    /// Waits until so many closures are in the queue behind the held one.
    func waitForQueue(of count: Int) async {
        while environment.queuedWrites < count { await Task.yield() }
    }

    func release() {
        gate.signal()
    }
}

/// Runs work on a dedicated thread and waits for it: for what the calling thread must not do inside a transaction.
func onAnotherThread(_ work: @escaping @Sendable () throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread {
        do { try work() } catch { Issue.record(error) }
        isDone.signal()
    }.start()
    isDone.wait()
}
