import Daybook
import HubTestSupport
import NIOCore
import Synchronization
import Testing

@testable import HubServer

@Suite("Limits of requests")
struct LimitTests {
    /// Buckets that are never forgotten.
    private struct Model {
        var buckets: [Int: (tokens: Double, filled: MonotonicTime)] = [:]

        mutating func take(_ key: Int, _ limit: RateLimit, at now: MonotonicTime) -> Int? {
            var (tokens, filled) = buckets[key] ?? (limit.burst, now)
            tokens = min(limit.burst, tokens + Double(now.microseconds(since: filled)) / 1_000_000 * limit.perSecond)
            filled = now
            let isAllowed = tokens >= 1
            if isAllowed { tokens -= 1 }
            buckets[key] = (tokens, filled)
            return isAllowed ? nil : max(1, Int(((1 - tokens) / limit.perSecond).rounded(.up)))
        }
    }

    @Test("Each answer is the model's while there are no more keys than the capacity")
    func model() {
        let clock = SettableClock(TestHub.start)
        var refused = 0
        for seed: UInt64 in 1...40 {
            let random = SeededRandomSource(seed: seed)
            func number(_ range: ClosedRange<UInt64>) -> Int {
                Int(range.lowerBound + random.next() % (range.upperBound - range.lowerBound + 1))
            }
            let limit = RateLimit(perSecond: Double(number(1...20)) / 2, burst: Double(number(1...12)))
            let keys = number(1...40)
            let limiter = RateLimiter<Int>(limit, capacity: keys, clock: clock)
            var model = Model()
            for step in 0..<2000 {
                // Some often, others seldom; short pauses, and at times one that fills every bucket.
                let key = number(0...3) == 0 ? number(0...UInt64(keys - 1)) : number(0...UInt64(keys - 1)) / 4
                if number(0...2) == 0 { clock.advance(byMicroseconds: Int64(number(0...300_000))) }
                if number(0...300) == 0 { clock.advance(byMicroseconds: Int64(number(0...30_000_000))) }
                let expected = model.take(key, limit, at: clock.monotonic)
                #expect(limiter.take(key) == expected, "seed \(seed), step \(step)")
                refused += expected == nil ? 0 : 1
            }
            #expect(limiter.count <= 2 * keys)
        }
        #expect(refused > 10_000)
    }

    @Test("More keys than the capacity take no more memory, and a key that keeps to its limit is never refused")
    func bounded() {
        let clock = SettableClock(TestHub.start)
        let limit = RateLimit(perSecond: 1, burst: 3)
        for seed: UInt64 in 1...10 {
            let random = SeededRandomSource(seed: seed)
            let limiter = RateLimiter<Int>(limit, capacity: 50, clock: clock)
            var model = Model()
            var exceeded: Set<Int> = []
            for _ in 0..<4000 {
                let key = Int(random.next() % 400)
                if model.take(key, limit, at: clock.monotonic) != nil { exceeded.insert(key) }
                let isAllowed = limiter.take(key) == nil
                #expect(isAllowed || exceeded.contains(key))
                #expect(limiter.count <= 100)
                clock.advance(byMicroseconds: Int64(random.next() % 5_000))
            }
            #expect(20...380 ~= exceeded.count)
        }
    }

    @Test("A key that goes on asking stays limited while others come and go")
    func persistent() {
        let clock = SettableClock(TestHub.start)
        let limiter = RateLimiter<Int>(RateLimit(perSecond: 1, burst: 2), capacity: 50, clock: clock)
        var allowed = 0
        for other in 1...10_000 {
            if other % 40 == 0, limiter.take(0) == nil { allowed += 1 }
            _ = limiter.take(other)
        }
        #expect(allowed == 2)
    }

    /// A key that counts how often it is looked up, inserted or moved.
    private struct CountedKey: Hashable {
        static let hashes = Atomic<Int>(0)
        let number: Int

        func hash(into hasher: inout Hasher) {
            Self.hashes.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test("A request costs the same with 50,000 addresses that are not full as with one")
    func constantWork() {
        let limiter = RateLimiter<CountedKey>(
            RateLimit(perSecond: 10, burst: 60), clock: SettableClock(TestHub.start))
        for number in 0..<50_000 { _ = limiter.take(CountedKey(number: number)) }
        #expect(limiter.count == 50_000)
        // Growing has moved each about once more.
        #expect(CountedKey.hashes.load(ordering: .relaxed) < 50_000 * 8)
        let before = CountedKey.hashes.load(ordering: .relaxed)
        for number in 0..<50_000 { #expect(limiter.take(CountedKey(number: number)) == nil) }
        #expect(CountedKey.hashes.load(ordering: .relaxed) - before < 50_000 * 4)
    }

    @Test("Addresses of IPv6 count by their first 64 bits, and those that stand for IPv4 as IPv4")
    func networks() throws {
        func network(_ address: String) throws -> ClientNetwork {
            ClientNetwork(try SocketAddress(ipAddress: address, port: 4711))
        }
        #expect(try network("192.0.2.1") == .ipv4(0xC000_0201))
        #expect(try network("::ffff:192.0.2.1") == .ipv4(0xC000_0201))
        #expect(try network("192.0.2.2") != network("192.0.2.1"))
        #expect(try network("2001:db8:1:2::1") == .ipv6(0x2001_0DB8_0001_0002))
        #expect(try network("2001:db8:1:2:ffff:ffff:ffff:ffff") == network("2001:db8:1:2::1"))
        #expect(try network("2001:db8:1:3::1") != network("2001:db8:1:2::1"))
        #expect(try network("::1") == .ipv6(0))
        #expect(ClientNetwork(nil) == .local)
        #expect(ClientNetwork(try SocketAddress(unixDomainSocketPath: "/tmp/hub")) == .local)
    }
}
