import Daybook
import Foundation
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Sync
import Testing

@testable import HubServer

@Suite("Watching a space")
struct WatchTests {
    private func session(_ device: UInt64, expires: Int64 = .max) -> Session {
        Session(space: TestHub.uuid(1), device: device, expires: expires)
    }

    @Test("A push wakes those who wait, with the newest head")
    func wakes() async throws {
        let watchers = Watchers()
        let watcher = watchers.begin(session(1))
        watchers.raise(TestHub.uuid(1), to: 3)
        watchers.raise(TestHub.uuid(1), to: 5)
        // What was read before the push changes nothing.
        watchers.raise(TestHub.uuid(1), to: 4)
        var heads = watcher.heads.makeAsyncIterator()
        #expect(await heads.next() == 5)
        watchers.beat(seconds: 0)
        #expect(await heads.next() == 5)
        // A hub that was restored has a lower head.
        watchers.update([TestHub.uuid(1): 2, TestHub.uuid(2): 9])
        #expect(await heads.next() == 2)
        #expect(watchers.count == 1 && watchers.spaces == [TestHub.uuid(1)])
        watchers.end(watcher)
        watchers.end(watcher)
        #expect(await heads.next() == nil)
        #expect(watchers.count == 0 && watchers.spaces.isEmpty)
    }

    @Test("A wait ends when its session expires, or its device is revoked")
    func ends() async throws {
        let watchers = Watchers()
        let expiring = watchers.begin(session(1, expires: 100))
        let revoked = watchers.begin(session(2))
        let other = watchers.begin(session(3))
        watchers.beat(seconds: 99)
        #expect(watchers.count == 3)
        watchers.beat(seconds: 100)
        #expect(watchers.count == 2)
        watchers.end(device: 2, of: TestHub.uuid(1))
        #expect(watchers.count == 1)
        #expect(await expiring.heads.reduce(0) { sum, _ in sum + 1 } == 1)
        #expect(await revoked.heads.reduce(0) { sum, _ in sum + 1 } == 1)
        watchers.end(other)
    }

    @Test("A long poll answers at once when there is news, at a push, and after its time")
    func longPoll() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            _ = try await fixture.push(1, number: 1, token: token)
            let path = "/v1/spaces/\(fixture.space)/watch"
            let news = try await fixture.request(.get, path + "?after=0&wait=25", token: token)
            #expect(try news.json(Head.self).head == 1)
            // More than the hub has: it was restored.
            let restored = try await fixture.request(.get, path + "?after=9&wait=25", token: token)
            #expect(try restored.json(Head.self).head == 1)

            let sleepers = fixture.clock.sleeperCount
            let waiting = Task { try await fixture.request(.get, path + "?after=1&wait=25", token: token) }
            while fixture.clock.sleeperCount == sleepers { await Task.yield() }
            _ = try await fixture.push(2, number: 2, token: token)
            #expect(try await waiting.value.json(Head.self).head == 2)

            while fixture.clock.sleeperCount > sleepers { await Task.yield() }
            let vain = Task { try await fixture.request(.get, path + "?after=2&wait=10", token: token) }
            while fixture.clock.sleeperCount == sleepers { await Task.yield() }
            fixture.clock.advance(byMicroseconds: 10_000_000)
            #expect(try await vain.value.json(Head.self).head == 2)
        }
    }

    @Test("A stream sends heads and signs of life, and ends when the session does")
    func stream() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let path = "/v1/spaces/\(fixture.space)/watch?after=0"
            let stream = Task { try await fixture.request(.get, path, token: token) }
            // Two sessions: the stream's ends first.
            while try await Self.watchers(fixture) == 0 { await Task.yield() }
            let other = try await fixture.openSession()
            _ = try await fixture.push(1, number: 1, token: other)
            for _ in 0..<36 {
                while fixture.clock.sleeperCount == 0 { await Task.yield() }
                fixture.clock.advance(byMicroseconds: 25_000_000)
                while fixture.clock.sleeperCount == 0 { await Task.yield() }
            }
            let answer = try await stream.value
            #expect(answer.status == 200 && answer.headers[.contentType] == "text/event-stream")
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("event: head\ndata: {\"head\":1}\n\n"))
            #expect(text.contains(": alive\n\n"))
            #expect(try await Self.watchers(fixture) == 0)
        }
    }

    private static func watchers(_ fixture: ServerFixture) async throws -> Int {
        let text = String(decoding: try await fixture.request(.get, "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("hub_watchers ") }
        return line.flatMap { Int($0.dropFirst("hub_watchers ".count)) } ?? -1
    }

    @Test("A client that goes away is forgotten, and the hub stops while others watch")
    func liveConnections() async throws {
        try await ServerFixture.run(.live, clock: SettableClock(TestHub.start)) { fixture in
            let token = try await fixture.createSpace()
            guard let port = fixture.client.port else { return }
            var headers = HTTPFields()
            headers[.authorization] = "Bearer \(token)"
            let path = "/v1/spaces/\(fixture.space)/watch?after=0"
            for leaves in [true, false] {
                let watcher = TestClient(host: "127.0.0.1", port: port)
                watcher.connect()
                try await watcher.executeAndDontWaitForResponse(.init(path, method: .get, headers: headers))
                while try await Self.watchers(fixture) != 1 { try await Task.sleep(for: .milliseconds(5)) }
                guard leaves else { break }
                try await watcher.shutdown()
                while try await Self.watchers(fixture) != 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            // The test ends by stopping the server, although one still watches.
        }
    }
}
