import DiskRecording
import Foundation
import KeyValue
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// What is written and flushed in logged mode, and what LMDB is relied on for.
    @Suite struct CommitLogCallTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        private func open(_ use: CommitLogUse) throws -> (Environment, Table) {
            var configuration = EnvironmentConfiguration()
            configuration.commitLog = use
            let environment = try Environment.open(
                at: folder.file("store"), configuration: configuration,
                creatingWith: NewStoreContent(tables: ["main"]))
            return (environment, try environment.openTables(["main"])[0])
        }

        private func put(_ key: UInt8, _ environment: Environment, _ table: Table) throws {
            try environment.write { try $0.put([key].span.bytes, [1].span.bytes, in: table) }
        }

        /// Returns what a piece of work writes and flushes, in order. A write of LMDB's meta page that waits for the disk is durable.
        private func steps(of work: () throws -> Void) throws -> [String] {
            let begin = try DiskLog.entries().normalized.calls.count
            try work()
            let steps = try DiskLog.entries().normalized.calls[begin...].compactMap { call -> String? in
                let isLog = call.path.hasSuffix(CommitLogState.fileName)
                switch call.kind {
                case .write where isLog:
                    return call.offset >= 16_384 ? "record" : call.offset == 12_288 ? "confirmation" : "slot"
                case .write where call.length == 120: return call.isSynchronous ? "durable meta" : "meta"
                case .write: return "pages"
                case .flushData, .flush: return isLog ? "flush log" : "flush data"
                default: return nil
                }
            }
            return steps.indices.filter { $0 == 0 || steps[$0] != steps[$0 - 1] }.map { steps[$0] }
        }

        @Test("A commit in logged mode is one record and one flush, before LMDB writes anything")
        func oneFlush() throws {
            let (environment, table) = try open(.always(checkpointPages: 100))
            try put(0, environment, table)
            for key in UInt8(1)..<4 {
                let steps = try steps { try put(key, environment, table) }
                #expect(steps == ["record", "flush log", "pages", "meta"])
            }
            environment.close()
        }

        @Test("The data file is flushed before a slot says so, and a slot is flushed before it is confirmed")
        func turns() throws {
            let (environment, table) = try open(.always(checkpointPages: 2))
            let turn = ["flush data", "slot", "flush log", "confirmation"]
            let record = ["record", "flush log", "pages", "meta"]
            // The log is filled with zeros before anybody relies on its length.
            try #expect(steps { try put(0, environment, table) } == ["record", "flush log"] + turn + record)
            try #expect(steps { try put(1, environment, table) } == record)
            try #expect(steps { try put(2, environment, table) } == turn + record)
            // A record that is too large for the log: LMDB flushes by itself from the moment on that the store is direct.
            let large = [UInt8](repeating: 1, count: 1 << 20)
            try #expect(
                steps { try environment.write { try $0.put([9].span.bytes, large.span.bytes, in: table) } } == turn + [
                    "pages", "flush data", "durable meta",
                ])
            try put(3, environment, table)
            try #expect(steps { environment.close() } == turn)
        }

        @Test(
            "When LMDB refuses a commit whose record is in the log, its lock is free, and the write does not come back")
        func refusedCommit() throws {
            var (environment, table) = try open(.always(checkpointPages: 100))
            try put(0, environment, table)
            // The record is the first write.
            DiskLog.setFault(DiskFault(kind: .write, first: 2, error: ENOSPC))
            #expect(throws: KeyValueError.self) { try put(1, environment, table) }
            DiskLog.clearFault()
            #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .direct)
            try put(2, environment, table)
            environment.close()
            (environment, table) = try open(.never)
            let keys = try environment.read { transaction in
                try (UInt8(0)..<3).filter { try transaction.get([$0].span.bytes, in: table) { _ in true } ?? false }
            }
            #expect(keys == [0, 2])
            environment.close()
        }

        @Test("Where there is no space for the log the write is made directly, and what was taken is given back")
        func noSpaceForLog() throws {
            let (environment, table) = try open(.always(checkpointPages: 100, logLength: 1 << 20))
            // The second piece of the log does not fit.
            DiskLog.setFault(DiskFault(kind: .write, first: 2, error: ENOSPC))
            try put(1, environment, table)
            DiskLog.clearFault()
            #expect(try CommitLogState(ofStore: folder.file("store"))?.mode == .direct)
            let file = "\(folder.file("store"))/\(CommitLogState.fileName)"
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == 16_384)
            environment.close()
        }

        @Test("A record that cannot be flushed stops writing, and is not in the store afterwards")
        func failedFlush() throws {
            var (environment, table) = try open(.always(checkpointPages: 100))
            try put(0, environment, table)
            DiskLog.setFault(DiskFault(kind: .flushData, error: EIO))
            #expect(throws: KeyValueError.commitFailed(code: EIO)) { try put(1, environment, table) }
            DiskLog.clearFault()
            #expect(throws: KeyValueError.writingStopped) { try put(2, environment, table) }
            environment.close()
            (environment, table) = try open(.never)
            let count = try environment.read { try $0.entryCount(of: table) }
            #expect(count == 1)
            environment.close()
        }
    }
}
