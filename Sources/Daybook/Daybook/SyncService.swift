import CivilTime

/// The state of a store's sync, for a user interface.
public struct SyncStatus: Sendable, Hashable {
    /// The states of a sync service.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The store belongs to no space.
        case notJoined
        /// No exchange is under way: everything is exchanged, the next one is due later, or the service is stopped.
        case idle
        /// Changes are being sent and received.
        case exchanging
        /// The hub cannot be reached or is busy. The service tries again by itself.
        case offline
        /// An exchange failed, or a person must decide something; ``SyncStatus/failureCode`` says what.
        case failed
    }

    /// The state of the service.
    public var phase: Phase
    /// How many changes the hub has not acknowledged.
    public var pendingCount: Int
    /// When store and hub last agreed.
    public var lastSuccess: Instant?
    /// The code of what the last exchange failed with, the same in every version; nil after a success.
    public var failureCode: String?

    /// Creates a status.
    public init(
        _ phase: Phase, pendingCount: Int = 0, lastSuccess: Instant? = nil, failureCode: String? = nil
    ) {
        self.phase = phase
        self.pendingCount = pendingCount
        self.lastSuccess = lastSuccess
        self.failureCode = failureCode
    }
}

/// Keeps a store in sync with its hub in the background. Models and views depend on this protocol, and on no networking.
///
/// `StoreSync` of the package `Hub/` implements it over HTTPS. A program that does not sync has no service.
public protocol SyncService: Sendable {
    /// The status now and after each change of it, to any number of readers. A slow reader gets the latest status only.
    var statuses: AsyncStream<SyncStatus> { get }

    /// Begins to exchange changes: at once, after writes, and after an interval. Does nothing in a started service.
    func start() async

    /// Ends exchanges, also one that is under way, and returns when none runs. Nothing is lost.
    func stop() async

    /// Exchanges everything now, whether the service is started or not.
    ///
    /// - Returns: The status after the exchange.
    @discardableResult
    func now() async -> SyncStatus
}
