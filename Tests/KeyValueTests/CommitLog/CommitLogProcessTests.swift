#if os(Linux)
    import Foundation
    import TestSupport
    import Testing
    import Threading

    @testable import KeyValue

    /// Leaving logged mode: when nothing is written, for another process, after the death of one.
    @Suite(.timeLimit(.minutes(2))) struct CommitLogProcessTests {
        private let folder = TemporaryFolder()

        private var path: String { folder.file("store") }

        private func open(
            _ entering: CommitLogUse.Entering, idleMilliseconds: Int = 3_600_000, ceiling: Int = 1 << 30
        ) throws -> (Environment, Table) {
            var configuration = EnvironmentConfiguration(initialMapSize: 1 << 20, mapSizeCeiling: ceiling)
            configuration.commitLog = CommitLogUse(entering: entering)
            configuration.commitLog.idleMilliseconds = idleMilliseconds
            configuration.commitLog.checkpointPages = 1_000...1_000
            let environment = try Environment.open(
                at: path, configuration: configuration, creatingWith: NewStoreContent(tables: ["main"]))
            return (environment, try environment.openTables(["main"])[0])
        }

        /// Writes without the writer thread.
        private func burst(_ environment: Environment, _ table: Table, _ count: Int = 8, size: Int = 40) throws {
            for number in 0..<count {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
                try environment.write { try $0.put([UInt8(number % 40)].span.bytes, value.span.bytes, in: table) }
            }
        }

        private func mode() throws -> CommitLogState.Mode? { try CommitLogState(ofStore: path)?.mode }

        private func waitUntilDirect() throws {
            while try mode() != .direct { sched_yield() }
        }

        @Test("After synchronous writes the store leaves logged mode each time that nothing is written for a while")
        func idle() async throws {
            let (environment, table) = try open(.whenBusy, idleMilliseconds: 20)
            // Starts the thread, which waits without a time-out then.
            try await environment.write { try $0.put([200].span.bytes, [1].span.bytes, in: table) }
            for _ in 0..<3 {
                var hasEntered = false
                while !hasEntered {
                    try burst(environment, table)
                    hasEntered = try mode() == .logged
                }
                try waitUntilDirect()
            }
            environment.close()
        }

        @Test("An owner that closes, or has been idle, does not end what another process has entered since")
        func otherOwner() throws {
            let (environment, table) = try open(.whenBusy)
            try burst(environment, table)
            #expect(try mode() == .logged)
            let other = try ChildProcess()
            try #expect(other.ask("open-logged \(path)") == "ok")
            // The first one lets the owner leave.
            for key in ["a", "b", "c"] { try #expect(other.ask("set \(key) 1") == "ok") }
            #expect(try CommitLogState(ofStore: path)?.recordCount == 2)
            environment.close()
            #expect(try CommitLogState(ofStore: path)?.recordCount == 2)
            try #expect(other.ask("set d 1") == "ok")
            #expect(try CommitLogState(ofStore: path)?.recordCount == 3)
            try #expect(other.ask("close") == "ok")
            #expect(try mode() == .direct)
        }

        @Test("The pages that an owner has kept are used again after its death")
        func deadOwner() throws {
            // The store has a log for the other one only.
            try open(.never).0.close()
            let other = try ChildProcess()
            try #expect(other.ask("open-logged \(path)") == "ok")
            let (reopened, again) = try open(.never)
            try burst(reopened, again, 40)
            try #expect(other.ask("set a 1") == "ok")
            #expect(try mode() == .logged)
            other.kill()
            try burst(reopened, again, 40)
            #expect(try mode() == .direct)
            let size = reopened.statistics.usedBytes
            try burst(reopened, again, 400)
            #expect(reopened.statistics.usedBytes <= size + 20 * 4096)
            reopened.close()
        }

        @Test("A store at its ceiling leaves logged mode before it is full")
        func ceiling() throws {
            let (environment, table) = try open(.always, ceiling: 1 << 20)
            // Each commit takes pages that the checkpoint does not give free, far more than the ceiling has.
            try burst(environment, table, 2_000, size: 2_000)
            #expect(try mode() == .logged)
            environment.close()
        }

        @Test("A transaction that is too large for the log is not collected, and the next ones are direct")
        func large() throws {
            let (environment, table) = try open(.whenBusy)
            try burst(environment, table)
            #expect(try mode() == .logged)
            let value = [UInt8](repeating: 7, count: 1 << 19)
            try environment.write { transaction in
                for key in UInt8(0)..<4 { try transaction.put([key].span.bytes, value.span.bytes, in: table) }
            }
            #expect(try mode() == .direct)
            try burst(environment, table, 5)
            // Twice as many as at first.
            #expect(try mode() == .direct)
            try burst(environment, table, 6)
            #expect(try mode() == .logged)
            environment.close()
        }

        @Test("What a process reads of a log is never taken for damage while another thread writes it")
        func concurrentState() throws {
            let (environment, table) = try open(.always)
            try burst(environment, table, 1)
            let (path, isOver) = (path, Flag())
            let reading = BackgroundResult {
                Result {
                    var count = 0
                    while !isOver.isRaised {
                        _ = try CommitLogState(ofStore: path)
                        count += 1
                    }
                    return count
                }
            }
            try burst(environment, table, TestBudget.count(300, long: 100_000))
            isOver.raise()
            #expect(try reading.wait().get() > 0)
            environment.close()
        }
    }
#endif
