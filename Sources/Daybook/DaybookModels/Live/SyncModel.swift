import Daybook
import Observation

/// How a store's sync is doing. It needs no networking: the service is that of the program, if it syncs.
@MainActor @Observable
public final class SyncModel: LiveModel {
    /// The state of the service; nil before it is known.
    public private(set) var status: SyncStatus?

    @ObservationIgnored private let service: any SyncService

    /// Follows a service, which the application starts and stops.
    public init(_ service: any SyncService) {
        self.service = service
        super.init()
    }

    /// Exchanges changes now, for "pull to refresh".
    public func syncNow() async {
        let new = await service.now()
        if status != new { status = new }
    }

    override func start() {
        follow(service.statuses) { [weak self] in self?.status = $0 }
    }
}
