import Daybook
import Sync

/// What `daybook-sync` does with a service.
extension StoreSync {
    /// Opens the store of a folder, which must be there, for one command.
    package static func with<Result: Sendable>(
        _ folder: String, _ options: Options = Options(), _ body: @Sendable (StoreSync) async throws -> Result
    ) async throws -> Result {
        let store = try DaybookStore.open(at: folder, options: StoreOptions(createIfMissing: false))
        defer { store.close() }
        return try await body(StoreSync(store, options: options))
    }

    /// Exchanges changes until a person must do something, or the store fails.
    ///
    /// - Throws: `SyncFailure`; `CancellationError` when the task is cancelled.
    package func runUntilBlocked() async throws {
        start()
        if status.phase == .notJoined { throw IdentityError.notJoined }
        for await _ in statuses {
            guard let blocked else { continue }
            await stop()
            throw blocked
        }
        await stop()
        throw CancellationError()
    }
}
