import Synchronization

@testable import Sync

/// A way to a hub that says of everything that it has something newer.
final class ForgingTransport: SyncTransport {
    let hub: TestHub
    let requests = Mutex(0)

    init(hub: TestHub) { self.hub = hub }

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        requests.withLock { $0 += 1 }
        var pull = request
        (pull.pushNumber, pull.units) = (0, [])
        var answer = try await hub.sync(pull)
        answer.results = request.units.map { _ in .superseded }
        return answer
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        try await hub.records(request)
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { try await hub.watch(after: sequence) }
}
