import Foundation
import Injection
import TestSupport
import Testing

@testable import KeyValue

/// Commits through the commit log, recovery and changes of mode, in one process.
@Suite struct CommitLogTests {
    private static func configuration(
        _ use: CommitLogUse, _ injectionPoint: InjectionPoint? = nil
    ) -> EnvironmentConfiguration {
        var configuration = EnvironmentConfiguration(initialMapSize: 1 << 22)
        configuration.commitLog = use
        configuration.injectionPoint = ArmedInjectionPoints(injectionPoint)
        return configuration
    }

    private static func open(
        _ path: String, _ use: CommitLogUse = .always(), _ injectionPoint: InjectionPoint? = nil
    ) throws -> (Environment, Table) {
        let environment = try Environment.open(
            at: path, configuration: configuration(use, injectionPoint),
            creatingWith: NewStoreContent(tables: ["a", "b"]))
        return (environment, try environment.openTables(["a"])[0])
    }

    private static func put(_ number: Int, _ environment: Environment, _ table: Table, size: Int = 40) throws {
        let key = Array("\(1_000_000 + number)".utf8)
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
        try environment.write { try $0.put(key.span.bytes, value.span.bytes, in: table) }
    }

    private static func content(_ environment: Environment, _ table: Table) throws -> [Int] {
        try environment.read { transaction in
            var numbers: [Int] = []
            try transaction.withCursor(over: table) { cursor in
                var isOnEntry = try cursor.moveToFirst()
                while isOnEntry {
                    try cursor.withEntry { key, _ in
                        numbers.append(Int(String(decoding: key.copied, as: UTF8.self)).map { $0 - 1_000_000 } ?? -1)
                    }
                    isOnEntry = try cursor.moveToNext()
                }
            }
            return numbers
        }
    }

    /// What a power failure leaves whose disk has written nothing that was not flushed: the data file as it was at the checkpoint,
    /// and the log.
    private static func leaveUnrecovered(_ path: String, in copy: String, dataOf checkpoint: String? = nil) throws {
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        guard let checkpoint else { return }
        try FileManager.default.removeItem(atPath: "\(copy)/data.mdb")
        try FileManager.default.copyItem(atPath: "\(checkpoint)/data.mdb", toPath: "\(copy)/data.mdb")
    }

    @Test("After a kill, a store in logged mode has every acknowledged write")
    func kill() throws {
        let folder = TemporaryFolder()
        let (environment, table) = try Self.open(folder.file("store"))
        for number in 0..<23 { try Self.put(number, environment, table) }
        #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .logged)
        try Self.leaveUnrecovered(folder.file("store"), in: folder.file("copy"))
        let (copy, copied) = try Self.open(folder.file("copy"), .never)
        #expect(try Self.content(copy, copied) == Array(0..<23))
        #expect(try CommitLogState(ofStore: folder.file("copy"))?.mode == .direct)
        copy.close()
        environment.close()
        #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .direct)
    }

    @Test("What the disk has of the data file may be anything between the checkpoint and the last commit")
    func powerFailure() throws {
        let folder = TemporaryFolder()
        let (environment, table) = try Self.open(
            folder.file("store"), .always(checkpointPages: 1_000, logLength: 1 << 16))
        try Self.put(0, environment, table)
        try Self.leaveUnrecovered(folder.file("store"), in: folder.file("checkpoint"))
        for number in 1..<9 { try Self.put(number, environment, table) }
        try Self.leaveUnrecovered(folder.file("store"), in: folder.file("copy"), dataOf: folder.file("checkpoint"))
        let (copy, copied) = try Self.open(folder.file("copy"), .never)
        #expect(try Self.content(copy, copied) == Array(0..<9))
        copy.close()
        environment.close()
    }

    @Test("A transaction that is no list of puts and deletes, or is too large for the log, leaves logged mode")
    func leaving() throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let (environment, table) = try Self.open(path, .always(checkpointPages: 100, logLength: 1 << 14))
        try environment.write { engine in
            for number in 0..<1025 { try engine.put([UInt8(number / 256), UInt8(number % 256)], [], in: table) }
        }
        try Self.put(0, environment, table)
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        try environment.write { try $0.removeAll(in: table) }
        #expect(try CommitLogState(ofStore: path)?.mode == .direct)
        try Self.put(1, environment, table)
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        try Self.put(2, environment, table, size: 1 << 15)
        #expect(try CommitLogState(ofStore: path)?.mode == .direct)
        #expect(try Self.content(environment, table) == [1, 2])
        environment.close()
    }

    @Test("The removal of a few entries in one call is a record, and a recovery repeats it")
    func removal() throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let (environment, table) = try Self.open(path, .always(checkpointPages: 100, logLength: 1 << 16))
        for number in 0..<5 { try Self.put(number, environment, table) }
        try environment.write { try $0.removeAll(in: table) }
        try Self.put(7, environment, table)
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        // As after a loss of power: of the data file there is what the checkpoint had.
        let killed = folder.file("killed")
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        let slots = try #require(try CommitFile(inStore: killed, isReadOnly: true)).slots()
        let current = try #require(slots.current)
        let records = try #require(try CommitFile(inStore: killed, isReadOnly: true)).records(
            of: current, inStore: killed)
        let deletes = records.flatMap(\.changes).count { if case .delete = $0 { true } else { false } }
        #expect(deletes == 5)
        let (recovered, found) = try Self.open(killed, .never)
        #expect(try Self.content(recovered, found) == [7])
        recovered.close()
        environment.close()
    }

    @Test("The log begins anew when it is full, and the data file keeps its size")
    func checkpoints() throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let (environment, table) = try Self.open(path, .always(checkpointPages: 1_000, logLength: 4 * 4096))
        for number in 0..<50 { try Self.put(number, environment, table) }
        let state = try #require(try CommitLogState(ofStore: path))
        #expect(
            state.mode == .logged && (1...4).contains(state.recordCount) && state.logBytes == state.recordCount * 4096)
        let size = environment.statistics.usedBytes
        for number in 0..<500 { try Self.put(number % 50, environment, table) }
        #expect(environment.statistics.usedBytes <= size + 40 * 4096)
        environment.close()
    }

    @Test("A store without a log, or one that is not to enter it, stays direct")
    func never() throws {
        let folder = TemporaryFolder()
        let (direct, table) = try Self.open(folder.file("direct"), .absent)
        try Self.put(0, direct, table)
        #expect(try CommitLogState(ofStore: folder.file("direct")) == nil)
        direct.close()
        let (first, _) = try Self.open(folder.file("store"))
        first.close()
        let (second, again) = try Self.open(folder.file("store"), .never)
        try Self.put(0, second, again)
        #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .direct)
        second.close()
    }

    @Test("The writer thread enters after some commits in a row, and leaves when it has nothing to do")
    func writerThread() async throws {
        let folder = TemporaryFolder()
        var use = CommitLogUse(entering: .whenBusy)
        use.now = { 0 }
        use.idleMilliseconds = 1
        let (environment, table) = try Self.open(folder.file("store"), use)
        var modes: Set<CommitLogState.Mode> = []
        for number in 0..<200 {
            let key: [UInt8] = [UInt8(number)]
            try await environment.write { try $0.put(key.span.bytes, key.span.bytes, in: table) }
            if let mode = try? CommitLogState(ofStore: folder.file("store"))?.mode { modes.insert(mode) }
        }
        #expect(modes.contains(.logged))
        environment.close()
        #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .direct)
    }

    @Test("A store whose log was damaged in its middle is not opened, and nothing is changed")
    func damagedLog() throws {
        let folder = TemporaryFolder()
        let (environment, table) = try Self.open(
            folder.file("store"), .always(checkpointPages: 100, logLength: 1 << 16))
        for number in 0..<5 { try Self.put(number, environment, table) }
        let copy = folder.file("copy")
        try Self.leaveUnrecovered(folder.file("store"), in: copy)
        environment.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(copy)/commits"))
        bytes[16384 + 2 * 4096 + 60] ^= 1
        try bytes.write(to: URL(fileURLWithPath: "\(copy)/commits"))
        #expect(throws: KeyValueError.self) { try Self.open(copy) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(copy)/commits")) == bytes)
    }

    @Test("A store whose newest slot was damaged is not opened: the slot before it would let go of acknowledged writes")
    func damagedSlot() throws {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        let (environment, table) = try Self.open(path, .always(checkpointPages: 100, logLength: 1 << 16))
        for number in 0..<5 { try Self.put(number, environment, table) }
        try Self.leaveUnrecovered(path, in: folder.file("copy"))
        environment.close()
        let file = URL(fileURLWithPath: "\(folder.file("copy"))/commits")
        let bytes = try Data(contentsOf: file)
        let slots = unsafe CommitSlots(decoding: Array(bytes).span.bytes)
        let position = try #require(slots.currentPosition)
        for offset in [0, 9, 20, 60, 700, CommitSlot.byteCount - 1] {
            var damaged = bytes
            damaged[position * CommitSlots.spacing + offset] ^= 1
            try damaged.write(to: file)
            #expect(throws: KeyValueError.self) { try Self.open(folder.file("copy")) }
            #expect(try Data(contentsOf: file) == damaged)
        }
        var none = bytes
        none.replaceSubrange(0..<CommitSlots.confirmationOffset, with: Data(count: CommitSlots.confirmationOffset))
        try none.write(to: file)
        #expect(throws: KeyValueError.self) { try Self.open(folder.file("copy")) }
        try bytes.write(to: file)
        let (copy, copied) = try Self.open(folder.file("copy"), .never)
        #expect(try Self.content(copy, copied) == Array(0..<5))
        copy.close()
    }

    @Test("The log of another store is refused")
    func foreignLog() throws {
        let folder = TemporaryFolder()
        let (one, table) = try Self.open(folder.file("one"))
        for number in 0..<40 { try Self.put(number, one, table) }
        let (two, _) = try Self.open(folder.file("two"), .never)
        try Self.leaveUnrecovered(folder.file("one"), in: folder.file("copy"), dataOf: folder.file("two"))
        #expect(throws: KeyValueError.self) { try Self.open(folder.file("copy")) }
        one.close()
        two.close()
    }

    @Test("A read-only opening recovers, and says what to do where it may not")
    func readOnly() throws {
        let folder = TemporaryFolder()
        let (environment, table) = try Self.open(folder.file("store"))
        for number in 0..<3 { try Self.put(number, environment, table) }
        try Self.leaveUnrecovered(folder.file("store"), in: folder.file("copy"))
        environment.close()
        var configuration = Self.configuration(.never)
        configuration.isReadOnly = true
        let copy = try Environment.open(at: folder.file("copy"), configuration: configuration)
        let tables = try copy.openPresentTables(["a"])
        #expect(try Self.content(copy, tables[0]) == [0, 1, 2])
        copy.close()
    }
}
