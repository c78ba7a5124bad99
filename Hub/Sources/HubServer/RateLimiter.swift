import Daybook
import DequeModule
import Synchronization

/// Token buckets by key, in constant time and bounded memory.
///
/// The buckets are in two generations, and each use moves one into the recent generation. A generation lasts as long as an
/// empty bucket takes to fill: what is in the former one at its end is full, and is dropped as a whole without a scan. A
/// generation also ends when it has `capacity` buckets. A bucket is therefore only forgotten early after `capacity` other keys
/// were used since its last use, and there are never more than twice as many.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: MonotonicTime
    }

    private struct State {
        var recent: [Key: Bucket] = [:]
        var former: [Key: Bucket] = [:]
        /// When the recent generation began.
        var start: MonotonicTime
    }

    private let limit: RateLimit
    private let capacity: Int
    private let clock: any TimeSource
    /// How long an empty bucket takes to fill, in microseconds.
    private let fillTime: Int64
    private let state: Mutex<State>

    init(_ limit: RateLimit, capacity: Int = 65_536, clock: any TimeSource) {
        self.limit = limit
        self.capacity = capacity
        self.clock = clock
        fillTime = Int64(min(limit.burst / limit.perSecond * 1_000_000, 1e15).rounded(.up))
        state = Mutex(State(start: clock.monotonic))
    }

    /// How many buckets are kept.
    var count: Int { state.withLock { $0.recent.count + $0.former.count } }

    /// Takes one.
    ///
    /// - Returns: nil if there was one; otherwise the seconds until there is.
    func take(_ key: Key) -> Int? {
        state.withLock { state in
            let now = clock.monotonic
            if state.recent.count >= capacity || now.microseconds(since: state.start) >= fillTime {
                state = State(former: state.recent, start: now)
            }
            var tokens = limit.burst
            if let bucket = state.recent[key] ?? state.former[key] {
                let seconds = Double(now.microseconds(since: bucket.filled)) / 1_000_000
                tokens = min(limit.burst, bucket.tokens + max(0, seconds) * limit.perSecond)
            }
            let isAllowed = tokens >= 1
            if isAllowed { tokens -= 1 }
            state.recent[key] = Bucket(tokens: tokens, filled: now)
            return isAllowed ? nil : max(1, Int(((1 - tokens) / limit.perSecond).rounded(.up)))
        }
    }
}

/// Lets some requests use the storage at a time; the others wait in their order, up to a limit.
final class StorageGate: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>
    private let queueLimit: Int

    init(_ limit: Int, queueLimit: Int) {
        state = Mutex(State(free: limit))
        self.queueLimit = queueLimit
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs a closure when it is its turn.
    ///
    /// - Returns: nil when too many wait.
    func run<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    private enum Entry { case enters, isRefused }

    private func enter() async -> Bool {
        let entry = state.withLock { state -> Entry? in
            if state.free > 0 {
                state.free -= 1
                return .enters
            }
            return state.waiting.count >= queueLimit ? .isRefused : nil
        }
        if let entry { return entry == .enters }
        await withCheckedContinuation { continuation in
            let entersNow = state.withLock { state in
                // Someone may have left in between.
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if entersNow { continuation.resume() }
        }
        return true
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
