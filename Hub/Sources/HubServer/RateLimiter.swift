import Daybook
import Synchronization

/// Token buckets by key. Those that are full again are forgotten.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: MonotonicTime
    }

    private let limit: RateLimit
    private let clock: any TimeSource
    private let buckets = Mutex<[Key: Bucket]>([:])

    init(_ limit: RateLimit, clock: any TimeSource) {
        self.limit = limit
        self.clock = clock
    }

    /// Takes one.
    ///
    /// - Returns: nil if there was one; otherwise the seconds until there is.
    func take(_ key: Key) -> Int? {
        let now = clock.monotonic
        return buckets.withLock { buckets in
            if buckets.count > 16_384 { forgetFull(&buckets, now) }
            var bucket = buckets[key] ?? Bucket(tokens: limit.burst, filled: now)
            bucket.tokens = tokens(of: bucket, now)
            bucket.filled = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            buckets[key] = bucket
            return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / limit.perSecond).rounded(.up)))
        }
    }

    private func tokens(of bucket: Bucket, _ now: MonotonicTime) -> Double {
        let seconds = Double(now.microseconds(since: bucket.filled)) / 1_000_000
        return min(limit.burst, bucket.tokens + max(0, seconds) * limit.perSecond)
    }

    private func forgetFull(_ buckets: inout [Key: Bucket], _ now: MonotonicTime) {
        buckets = buckets.filter { tokens(of: $0.value, now) < limit.burst }
    }
}

/// Lets some requests use the storage at a time; the others wait in their order, up to a limit.
final class StorageGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        var next = 0

        var count: Int { waiting.count - next }
    }

    private let state: Mutex<State>
    private let queueLimit: Int

    init(_ limit: Int, queueLimit: Int) {
        state = Mutex(State(free: limit))
        self.queueLimit = queueLimit
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.count } }

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
            return state.count >= queueLimit ? .isRefused : nil
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
            guard state.next < state.waiting.count else {
                state.free += 1
                return nil
            }
            defer {
                state.next += 1
                if state.next == state.waiting.count || state.next > 1024 {
                    state.waiting.removeFirst(state.next)
                    state.next = 0
                }
            }
            return state.waiting[state.next]
        }
        next?.resume()
    }
}
