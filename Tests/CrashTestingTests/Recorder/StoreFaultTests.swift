import CivilTime
import Daybook
import DiskRecording
import Foundation
import KeyValue
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// How the engine handles transient and permanent errors on a real store.
    @Suite(.timeLimit(.minutes(15))) struct StoreFaultTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        static let passing = [EINTR, EAGAIN, ENOMEM, ENOBUFS, EMFILE, ENFILE, EBUSY, ETIMEDOUT]

        private func environment() throws -> (Environment, Table) {
            let environment = try Environment.open(
                at: folder.file("store"), creatingWith: NewStoreContent(tables: ["main"]))
            return (environment, try environment.openTables(["main"])[0])
        }

        /// Writes several pages, so that LMDB writes more than one run.
        private func put(_ key: UInt8, in table: Table, of environment: Environment) throws {
            let value = [UInt8](repeating: key, count: 9_000)
            try environment.write { try $0.put([key].span.bytes, value.span.bytes, in: table) }
        }

        private func keys(in table: Table, of environment: Environment) throws -> [UInt8] {
            try environment.read { transaction in
                var keys: [UInt8] = []
                try transaction.withCursor(over: table) { cursor in
                    var isOnEntry = try cursor.moveToFirst()
                    while isOnEntry {
                        try cursor.withEntry { key, _ in keys += key.copied }
                        isOnEntry = try cursor.moveToNext()
                    }
                }
                return keys
            }
        }

        @Test("A transient error in writing or flushing pages leaves nothing, and writing continues [S-42]")
        func busy() throws {
            var (environment, table) = try environment()
            var expected: [UInt8] = []
            for (number, code) in Self.passing.enumerated() {
                // LMDB itself repeats an interrupted write.
                for kind in code == EINTR ? [.flushData] : [.write, .flushData] as [DiskCall.Kind] {
                    DiskLog.setFault(DiskFault(kind: kind, error: code, only: kind == .write ? .others : .any))
                    #expect(throws: KeyValueError.busy(operation: "commit", code: code)) {
                        try put(100, in: table, of: environment)
                    }
                    #expect(DiskLog.faultHitCount == 1)
                    #expect(!environment.hasStoppedWriting)
                    try #expect(keys(in: table, of: environment) == expected)
                    try put(UInt8(number), in: table, of: environment)
                    if expected.last != UInt8(number) { expected.append(UInt8(number)) }
                    try #expect(keys(in: table, of: environment) == expected)
                }
            }
            environment.close()
            (environment, table) = try self.environment()
            try #expect(keys(in: table, of: environment) == expected)
            environment.close()
        }

        @Test("A retry writes and flushes every page again")
        func pagesAreWrittenAgain() throws {
            let (environment, table) = try environment()
            defer { environment.close() }
            try put(1, in: table, of: environment)
            DiskLog.setFault(DiskFault(kind: .flushData, error: EAGAIN))
            var begin = try folder.calls.count
            #expect(throws: KeyValueError.self) { try put(2, in: table, of: environment) }
            let refused = try folder.calls[begin...].filter { $0.kind == .write }.map { [$0.offset, $0.length] }
            begin = try folder.calls.count
            try put(2, in: table, of: environment)
            let calls = try folder.calls[begin...]
            #expect(calls.map(\.kind).suffix(2) == [.flushData, .write])
            let pages = calls.filter { $0.kind == .write && !$0.isSynchronous }.map { [$0.offset, $0.length] }
            #expect(!refused.isEmpty && pages == refused)
        }

        @Test("After the meta page was touched no error is transient: the state of the disk is unknown")
        func metaPage() throws {
            for code in Self.passing where code != EINTR {
                for effect in [DiskFault.Effect.fails, .failsAfter] {
                    let (environment, table) = try environment()
                    DiskLog.setFault(
                        DiskFault(kind: .write, effect: effect, error: code, only: .synchronousOrWriting))
                    #expect(throws: KeyValueError.commitUnknown(code: code)) {
                        try put(1, in: table, of: environment)
                    }
                    #expect(environment.hasStoppedWriting)
                    environment.close()
                }
            }
        }

        @Test("Whatever call fails, the operation reports it and leaves the store unchanged [S-40, S-42, C-NFR17]")
        func everyFailure() async throws {
            let options = StoreOptions(retries: .none)
            var daybook = try DaybookStore.open(at: folder.file("store"), options: options)
            try await daybook.tasks.create("before")
            let faults: [(DiskFault, code: String)] =
                Self.passing.map { (DiskFault(kind: .flushData, error: $0), "busy") } + [
                    (DiskFault(kind: .flushData, error: ENOSPC), "disk-full"),
                    (DiskFault(kind: .write, error: ENOSPC, only: .others), "disk-full"),
                    (DiskFault(kind: .write, error: EDQUOT, only: .others), "disk-full"),
                    (DiskFault(kind: .write, effect: .writesShort, error: 0, only: .others), "commit-failed"),
                    (DiskFault(kind: .write, error: EIO, only: .others), "commit-failed"),
                    (DiskFault(kind: .flushData, error: EIO), "commit-failed"),
                    (DiskFault(kind: .write, error: EIO, only: .synchronousOrWriting), "commit-unknown"),
                ]
            for (fault, code) in faults {
                let before = try daybook.tasks.inbox()
                let sequence = try daybook.information().lastSequence
                DiskLog.setFault(fault)
                var failure: TaskError?
                do {
                    try await daybook.tasks.create("lost")
                } catch {
                    failure = error
                }
                #expect(failure?.code == code, "\(fault)")
                #expect(DiskLog.faultHitCount == 1, "\(fault)")
                if code.hasPrefix("commit") {
                    daybook.close()
                    daybook = try DaybookStore.open(at: folder.file("store"), options: options)
                }
                try #expect(daybook.tasks.inbox() == before, "\(fault)")
                try #expect(daybook.information().lastSequence == sequence, "\(fault)")
                try #expect(daybook.verify().isClean, "\(fault)")
                try await daybook.tasks.create("after")
            }
            daybook.close()
        }

        @Test("Up to three refusals of a disk are retried silently; four are reported [S-41]", arguments: 0...4)
        func retries(count: Int) async throws {
            let clock = SettableClock(Instant(secondsSince1970: 1_770_800_400))
            let context = Context(
                clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday)
            let daybook = try DaybookStore.open(at: folder.file("store"), context: context)
            // A count of 0 sets a fault that no call reaches.
            DiskLog.setFault(
                DiskFault(kind: .flushData, first: count == 0 ? 1_000 : 1, count: max(count, 1), error: ENOSPC))
            let saved = Task { () async -> String? in
                do {
                    try await daybook.tasks.create("x")
                    return nil
                } catch {
                    return (error as? TaskError)?.code
                }
            }
            for wait in [500_000, 1_000_000, 1_500_000].prefix(count) as ArraySlice<Int64> {
                while clock.sleeperCount == 0 { await Task.yield() }
                clock.advance(byMicroseconds: wait)
            }
            #expect(await saved.value == (count <= 3 ? nil : "disk-full"))
            #expect(DiskLog.faultHitCount == count)
            #expect(clock.monotonic.microseconds == [0, 500_000, 1_500_000, 3_000_000, 3_000_000][count])
            try #expect(daybook.tasks.inbox().map(\.text) == (count <= 3 ? ["x"] : []))
            try #expect(daybook.verify().isClean)
            daybook.close()
        }
    }
}
