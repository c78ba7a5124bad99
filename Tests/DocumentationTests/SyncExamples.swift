import Daybook
import Foundation
import Testing

/// The status of sync for a view, as Documentation/Sync.md has it.
@MainActor final class SyncModel {
    private(set) var status = SyncStatus(.notJoined)

    func follow(_ service: any SyncService) async {
        for await status in service.statuses { self.status = status }
    }
}

/// The examples of Documentation/Sync.md that need no hub.
@Suite struct SyncExamples {
    /// A service that shows one exchange.
    private struct ServiceDouble: SyncService {
        let statuses: AsyncStream<SyncStatus>
        let continuation: AsyncStream<SyncStatus>.Continuation

        init() { (statuses, continuation) = AsyncStream.makeStream(of: SyncStatus.self) }

        func start() async { continuation.yield(SyncStatus(.exchanging, pendingCount: 2)) }

        func stop() async { continuation.finish() }

        func now() async -> SyncStatus {
            let status = SyncStatus(.offline, pendingCount: 2, failureCode: "unavailable")
            continuation.yield(status)
            return status
        }
    }

    @Test("A model shows the status of a service without depending on a network [L-FR43]")
    func model() async {
        let (service, model) = (ServiceDouble(), SyncModel())
        await service.start()
        let status = await service.now()
        await service.stop()
        await model.follow(service)
        #expect(await model.status == status)
    }
}
