import Synchronization
import Testing

@testable import Threading

@Suite struct WorkThreadTests {
    @Test("Work is done in the order in which it was given, one piece at a time, and each result is its own")
    func order() {
        let thread = WorkThread()
        let running = Mutex((now: 0, most: 0, order: [Int]()))
        let results = (0..<200).map { number in
            thread.start {
                running.withLock { state in
                    state.now += 1
                    state.most = max(state.most, state.now)
                    state.order.append(number)
                }
                running.withLock { $0.now -= 1 }
                return number * 2
            }
        }
        #expect(results.map { $0.wait() } == (0..<200).map { $0 * 2 })
        running.withLock { state in
            #expect(state.most == 1)
            #expect(state.order == Array(0..<200))
        }
    }

    @Test("Work that was given is done although its owner is gone")
    func released() {
        let gate = BackgroundResult<Void>()
        var thread: WorkThread? = WorkThread()
        let first = thread?.start { gate.wait() }
        let second = thread?.start { 7 }
        thread = nil
        gate.finish(with: ())
        first?.wait()
        #expect(second?.wait() == 7)
    }
}
