import Sync

/// The identity of a store in memory and in its file; both change when other devices pass on keys.
package actor KeyKeeper: KeyKeeping {
    /// The identity as it was last read or written.
    package private(set) var identity: SpaceIdentity
    private let folder: String

    init(_ identity: SpaceIdentity, folder: String) {
        self.identity = identity
        self.folder = folder
    }

    /// Takes units of the space into account.
    package func receive(_ units: [SyncUnit], for replica: SyncReplica) async throws {
        let before = identity.ring
        // Another process of this device may have received keys.
        identity = (try? SpaceIdentity.read(inStore: folder)) ?? identity
        let isNew = identity.receive(units)
        guard isNew || identity.ring != before else { return }
        try identity.write(inStore: folder)
        try await replica.adopt(identity.sealing)
    }

    /// Uses what another process has written, or what was just written.
    func use(_ identity: SpaceIdentity) { self.identity = identity }

    /// Notes that a device is being revoked, or that it is done.
    func note(revoking devices: Set<UInt64>, isDone: Bool) throws {
        identity = (try? SpaceIdentity.read(inStore: folder)) ?? identity
        if isDone { identity.revoking.subtract(devices) } else { identity.revoking.formUnion(devices) }
        try identity.write(inStore: folder)
    }
}
