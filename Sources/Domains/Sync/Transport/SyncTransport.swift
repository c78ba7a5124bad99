/// The way to a hub. The core has no network code: `HubClient` uses HTTPS, a simulation carries messages itself.
public protocol SyncTransport: Sendable {
    /// Pushes and pulls in one round trip.
    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer
    /// Fetches records by their names.
    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer
    /// Returns the space's head when it is above a number, or after a while.
    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64
}
