import Foundation
import Synchronization

@testable import Sync

/// A way to a hub that cannot read one record.
final class PickyTransport: SyncTransport {
    let hub: TestHub
    let refused: UUID
    let requests = Mutex(0)

    init(hub: TestHub, refused: UUID) {
        self.hub = hub
        self.refused = refused
    }

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        requests.withLock { $0 += 1 }
        if request.units.contains(where: { $0.record == refused }) { throw .malformed }
        return try await hub.sync(request)
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        try await hub.records(request)
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { try await hub.watch(after: sequence) }
}
