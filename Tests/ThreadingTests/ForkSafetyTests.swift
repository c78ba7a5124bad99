#if os(Linux)
    @testable import Snapshots
    import CivilTime
    import Foundation
    import Records
    import TestSupport
    import Testing
    import Threading

    /// Children with several threads, forked while threads of the parent do the same work. Each test forks in a
    /// separate process, where no thread of another test can hold a lock at that moment.
    @Suite(.timeLimit(.minutes(15))) struct ForkSafetyTests {
        @Test("Threads of a forked child can contend for a lock of the child")
        func newLock() async {
            await #expect(processExitsWith: .success) {
                let lock = ForkSafeMutex(0)
                let increment: @Sendable () -> Bool = {
                    for _ in 0..<20_000 { lock.withLock { $0 += 1 } }
                    return true
                }
                expectForksToWork(besides: increment) {
                    let lock = ForkSafeMutex(0)
                    let isRight = onThreads {
                        for _ in 0..<20_000 { lock.withLock { $0 += 1 } }
                        return true
                    }
                    return isRight && lock.withLock { $0 } == 20_000 * threadCount
                }
            }
        }

        @Test("Threads of a forked child can contend for a lock that threads of its parent contended for")
        func inheritedLock() async {
            await #expect(processExitsWith: .success) {
                let lock = ForkSafeMutex(acrossForks: (0, 0))
                let work: @Sendable () -> Bool = {
                    for _ in 0..<1000 {
                        lock.withLock {
                            $0.0 += 1
                            $0.1 += 1
                        }
                    }
                    return true
                }
                expectForksToWork(besides: work) {
                    let before = lock.withLock { $0 }
                    let isRight = onThreads(work)
                    let after = lock.withLock { $0 }
                    // Inconsistent if a thread of the parent was inside at the moment of the fork.
                    return isRight && before.0 == before.1 && after.0 == after.1
                        && after.0 == before.0 + 1000 * threadCount
                }
            }
        }

        @Test("Threads of a forked child can look up zones")
        func zones() async {
            await #expect(processExitsWith: .success) {
                let names = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Africa/Cairo", "Pacific/Apia"]
                let system = SystemZoneSource.shared.zone
                let work: @Sendable () -> Bool = {
                    for round in 0..<200 {
                        let name = names[round % names.count]
                        guard (try? Zone(name))?.identifier == name, SystemZoneSource.shared.zone == system else {
                            return false
                        }
                    }
                    return true
                }
                expectForksToWork(besides: work) { onThreads(work) }
            }
        }

        @Test("Threads of a forked child generate unique ids with the parent's generator")
        func identifiers() async {
            await #expect(processExitsWith: .success) {
                let clock = SettableClock(Instant(secondsSince1970: 1_770_000_000))
                let context = Context(
                    clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(.utc), weekStart: .monday)
                let generator = IdentifierGenerator(context: context)
                let make: @Sendable () -> [UUID] = {
                    (0..<300).map { round in
                        if round % 100 == 0 { clock.advance(byMicroseconds: 1000) }
                        return generator.next()
                    }
                }
                expectForksToWork(besides: { Set(make()).count == 300 && context.zone == .utc }) {
                    let all = ForkSafeMutex<Set<UUID>>([])
                    let isRight = onThreads {
                        let made = make()
                        all.withLock { $0.formUnion(made) }
                        return made == made.sorted()
                    }
                    return isRight && all.withLock { $0.count } == 300 * threadCount
                }
            }
        }

        @Test("Threads of a forked child can wait for background work without threads of Dispatch")
        func backgroundResults() async {
            await #expect(processExitsWith: .success) {
                let work: @Sendable () -> Bool = {
                    for round in 0..<20 {
                        guard BackgroundResult({ round * 2 }).wait() == round * 2 else { return false }
                    }
                    return true
                }
                expectForksToWork(besides: work) { onThreads(work) }
            }
        }
    }

    private let threadCount = 4

    /// Forks 200 times while threads of this process repeat some work, and expects that the child's work returns true.
    private func expectForksToWork(
        besides work: @escaping @Sendable () -> Bool, child: () -> Bool, location: SourceLocation = #_sourceLocation
    ) {
        // So that the child does nothing for the first time.
        #expect(onThreads(work) && child(), sourceLocation: location)
        let isDone = ForkSafeMutex(false)
        let group = ThreadGroup(count: threadCount) {
            while !isDone.withLock({ $0 }) {
                guard work() else { return false }
            }
            return true
        }
        var failures: [Int32] = []
        for _ in 0..<200 {
            let code = runForked { child() ? 0 : 1 }
            if code != 0 { failures.append(code) }
        }
        isDone.withLock { $0 = true }
        #expect(group.wait(), sourceLocation: location)
        #expect(failures.isEmpty, "children ended with \(failures)", sourceLocation: location)
    }

    /// Runs work on several threads at once, of which the calling one is the one that `Mutex` takes for the parent's.
    private func onThreads(_ work: @escaping @Sendable () -> Bool) -> Bool {
        let others = ThreadGroup(count: threadCount - 1, work)
        let isRight = work()
        return others.wait() && isRight
    }

    /// Threads that do the same work.
    private final class ThreadGroup: @unchecked Sendable {  // all state is guarded by the monitor
        private let monitor = Monitor()
        private var running: Int
        private var isRight = true

        init(count: Int, _ work: @escaping @Sendable () -> Bool) {
            running = count
            for _ in 0..<count {
                if startDetachedThread({ self.end(work()) }) != 0 { end(false) }
            }
        }

        private func end(_ result: Bool) {
            monitor.withLock {
                running -= 1
                isRight = isRight && result
                monitor.wakeAll()
            }
        }

        func wait() -> Bool {
            monitor.withLock {
                while running > 0 { monitor.wait() }
                return isRight
            }
        }
    }
#endif
