import FileSystem

#if os(Linux)
    import Foundation
    import Injection
    import Synchronization
    import TestSupport
    import Testing
    import Threading

    @testable import KeyValue

    /// The lock that admits one writer at a time, and what waiting for it shows.
    @Suite(.timeLimit(.minutes(15))) struct WriterLockTests {
        private static let atOnce = LockWait(limit: .zero)

        /// The error of a write that may not wait.
        private func refusal(of store: TestStore) -> LockHolder? {
            do {
                try store.environment.write { try $0.put([9], [9], in: store.table) }
                return nil
            } catch KeyValueError.lockHeld(store.path, let holder) {
                return holder
            } catch {
                Issue.record(error)
                return nil
            }
        }

        @Test("A process that is stopped in its transaction is named, and others go on when it is continued [S-77]")
        func stoppedWriter() async throws {
            let store = try TestStore(lockWait: Self.atOnce)
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("write-stopped other") == "writing")
            waitUntilStopped(other.identifier)
            let holder = refusal(of: store)
            #expect(
                holder
                    == LockHolder(.writing, process: other.identifier, name: "StoreProcess", isStopped: true))
            let text = KeyValueError.lockHeld(path: "p", by: try #require(holder)).description
            #expect(text.contains("\(other.identifier)") && text.contains("kill -CONT"))
            // The writer thread has the same limit, and reading waits for nobody.
            await #expect(throws: KeyValueError.self) { try await store.put([8], [8]) }
            try #expect(store.contents() == [:])
            kill(other.identifier, SIGCONT)
            #expect(other.answer() == "ok")
            try await store.put([7], [7])
            try #expect(store.contents() == [bytes("other"): [1], [7]: [7]])
        }

        @Test("Others go on when a process that is stopped in its transaction is killed [S-77]")
        func killedWriter() async throws {
            let store = try TestStore(lockWait: Self.atOnce)
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("write-stopped other") == "writing")
            waitUntilStopped(other.identifier)
            #expect(refusal(of: store) != nil)
            other.kill()
            try await store.put([7], [7])
            try #expect(store.contents() == [[7]: [7]])
        }

        @Test("The lock follows a compaction to the new data file [S-77]")
        func compaction() async throws {
            let store = try TestStore(lockWait: Self.atOnce)
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("set a b") == "ok")
            try store.environment.compact()
            try #expect(other.ask("write-stopped other") == "writing")
            waitUntilStopped(other.identifier)
            #expect(refusal(of: store)?.process == other.identifier)
            kill(other.identifier, SIGCONT)
            #expect(other.answer() == "ok")
            try await store.put([7], [7])
        }

        @Test("Every way out of a write transaction releases the lock [S-77]")
        func waysOut() async throws {
            struct Refusal: Error {}
            let store = try TestStore(ceiling: 1 << 20)
            let file = try RangeLockFile(store.dataFile, .exclusive)
            func isFree() throws -> Bool {
                try !file.isLockedElsewhere(from: WriterLock.writer)
                    && !file.isLockedElsewhere(from: WriterLock.firstInQueue)
            }
            let environment = store.environment
            // The synchronous one.
            func write(_ body: (consuming RawWriteTransaction) throws -> Void) throws { try environment.write(body) }
            try write { _ in try #expect(file.isLockedElsewhere(from: WriterLock.writer)) }
            try #expect(isFree())
            #expect(throws: Refusal.self) { try write { _ in throw Refusal() } }
            try #expect(isFree())
            await #expect(throws: Refusal.self) { try await environment.write { _ in throw Refusal() } }
            try #expect(isFree())
            await #expect(throws: KeyValueError.self) {
                try await store.put([1], [UInt8](repeating: 0, count: 2 << 20))
            }
            try #expect(isFree())
            _ = try environment.openTables(["another"])
            try #expect(isFree())
            try environment.compact()
            let replaced = try RangeLockFile(store.dataFile, .exclusive)
            try #expect(isFree() && !replaced.isLockedElsewhere(from: WriterLock.writer))
            environment.close()
            #expect(throws: KeyValueError.closed) { try write { _ in } }
            try #expect(isFree())
        }

        @Test("A thread that waits for another process does not hold up this process's readers [S-77]")
        func readersGoOn() async throws {
            let store = try TestStore()
            let file = try RangeLockFile(store.dataFile, .exclusive)
            try #expect(file.tryLock(.exclusive, from: WriterLock.writer) == .taken)
            let writing = Task { try await store.put([1], [1]) }
            while try !file.isLockedElsewhere(from: WriterLock.firstInQueue) { await Task.yield() }
            #expect(store.environment.handle.gate.current.inside == 0)
            store.environment.handle.releasePages()
            try #expect(store.contents() == [:])
            file.unlock(from: WriterLock.writer)
            try await writing.value
        }

        // MARK: Order

        /// A data file, and the locks of two processes on it.
        private struct Pair {
            let folder = TemporaryFolder()
            let file: RangeLockFile
            let first: WriterLock

            init(_ injectionPoint: InjectionPoint? = nil) throws {
                let path = folder.file("data")
                try #require(FileManager.default.createFile(atPath: path, contents: nil))
                file = try RangeLockFile(path, .exclusive)
                first = WriterLock(store: folder.path, injectionPoint: ArmedInjectionPoints(injectionPoint))
                try first.follow(path)
            }
        }

        @Test("A process that writes in a loop cannot overtake one that waits [S-77]")
        func noOvertaking() throws {
            let pair = try Pair()
            let second = WriterLock(store: pair.folder.path, injectionPoint: ArmedInjectionPoints())
            try second.follow(pair.folder.file("data"))
            try pair.first.acquire(.unlimited)
            let (hasLock, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread {
                try? second.acquire(.unlimited)
                hasLock.signal()
                mayEnd.wait()
                second.release()
            }.start()
            while try !pair.file.isLockedElsewhere(from: WriterLock.firstInQueue) { sched_yield() }
            pair.first.release()
            // Whether the second has tried again yet or not.
            #expect(throws: KeyValueError.self) { try pair.first.acquire(Self.atOnce) }
            hasLock.wait()
            #expect(throws: KeyValueError.self) { try pair.first.acquire(Self.atOnce) }
            mayEnd.signal()
            try pair.first.acquire(.unlimited)
            pair.first.release()
        }

        @Test("Without the queue, a process that writes in a loop overtakes one that waits (negative control) [S-77]")
        func overtaking() throws {
            let pair = try Pair(.skipsWriterQueue)
            try #expect(pair.file.tryLock(.exclusive, from: WriterLock.firstInQueue) == .taken)
            try pair.first.acquire(Self.atOnce)
            pair.first.release()
        }

        @Test("A process that was stopped while it waits does not keep others from writing [S-77]")
        func stoppedInQueue() throws {
            let pair = try Pair()
            try #expect(pair.file.tryLock(.exclusive, from: WriterLock.firstInQueue) == .taken)
            try pair.first.acquire(.unlimited)
            try #expect(pair.file.isLockedElsewhere(from: WriterLock.writer))
            pair.first.release()
        }

        @Test("Threads of one process write in the order of their arrival, and within the same limit [S-77]")
        func threads() throws {
            let pair = try Pair()
            try pair.first.acquire(.unlimited)
            let order = Mutex<[Int]>([])
            let end = DispatchSemaphore(value: 0)
            for number in 1...3 {
                Thread {
                    try? pair.first.acquire(.unlimited)
                    order.withLock { $0.append(number) }
                    pair.first.release()
                    end.signal()
                }.start()
                while pair.first.queueLength < number { sched_yield() }
            }
            let error = #expect(throws: KeyValueError.self) { try pair.first.acquire(Self.atOnce) }
            #expect(holder(of: error)?.process == getpid())
            pair.first.release()
            for _ in 1...3 { end.wait() }
            #expect(order.withLock { $0 } == [1, 2, 3])
        }

        // MARK: Limits

        @Test(
            "A wait ends at its limit and is reported once, after a second [S-77]",
            arguments: [nil, 0, 999_999, 3_000_000])
        func limits(microseconds: Int64?) throws {
            let reports = Mutex<[LockHolder]>([])
            let holder = LockHolder(.writing, process: 7, name: "daybook")
            let wait = LockWait(limit: microseconds.map { .microseconds($0) }) { holder in
                reports.withLock { $0.append(holder) }
            }
            var pending = PendingWait(wait, path: "p")
            var pauses: [Int64] = []
            func pause() throws {
                try pending.pause {
                    pauses.append($0)
                    return true
                } for: {
                    holder
                }
            }
            let end = microseconds ?? 10_000_000
            while pauses.reduce(0, +) < end { try pause() }
            if let microseconds {
                #expect(pauses.reduce(0, +) == microseconds)
                #expect(throws: KeyValueError.lockHeld(path: "p", by: holder)) { try pause() }
            }
            #expect(reports.withLock { $0 } == (end >= 1_000_000 ? [holder] : []))
            #expect(pauses.allSatisfy { $0 <= 5_000 })
        }

        @Test("A limit can be any duration [S-77]", arguments: [Duration.seconds(Int64.max), .seconds(-1), .zero])
        func extremes(limit: Duration) throws {
            var pending = PendingWait(LockWait(limit: limit), path: "p")
            let waits = (try? pending.pause(by: { _ in true }, for: { LockHolder(.writing) })) != nil
            #expect(waits == (limit > .zero))
        }

        @Test("The line of a lock names the process that has taken it, also in processes that share the lock")
        func taker() {
            func taker(_ line: String, _ kind: String = "FLOCK", from start: Int64 = 0) -> Int32? {
                LockHolder.taker(in: line[...], ofKind: kind, from: start)
            }
            #expect(taker("lock:\t1: FLOCK  ADVISORY  WRITE 1234 00:21:5678 0 EOF") == 1234)
            #expect(taker("lock:\t1: OFDLCK ADVISORY  WRITE -1 00:21:5678 40 40", "OFDLCK", from: 40) == -1)
            #expect(taker("lock:\t1: FLOCK  ADVISORY  READ 1234 00:21:5678 0 EOF") == nil)
            #expect(taker("pos:\t0") == nil)
        }

        @Test("Opening waits for a process that opens the store, within the same limit, and names it [S-77]")
        func gate() throws {
            let store = try TestStore()
            store.environment.close()
            let gate = try StoreFolder(path: store.path).gate(waiting: .unlimited)
            var configuration = EnvironmentConfiguration()
            configuration.lockWait = Self.atOnce
            let error = #expect(throws: KeyValueError.self) {
                try Environment.open(at: store.path, configuration: configuration)
            }
            let holder = holder(of: error)
            #expect(holder?.activity == .opening && holder?.process == getpid() && holder?.isStopped == false)
            withExtendedLifetime(gate) {}
        }
    }

    private func holder(of error: KeyValueError?) -> LockHolder? {
        if case .lockHeld(_, let holder)? = error { holder } else { nil }
    }

    private func waitUntilStopped(_ process: pid_t) {
        while true {
            let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            if status.split(separator: ")").last?.dropFirst().first == "T" { return }
            sched_yield()
        }
    }
#endif
