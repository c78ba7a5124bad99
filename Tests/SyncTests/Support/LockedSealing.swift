import DeviceSimulation
import Foundation
import Sync

/// Sealing by a device that lacks the keys of others.
struct LockedSealing: UnitSealing {
    func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID {
        PlainSealing().name(ofRecord: key, in: collection)
    }

    func seal(_ body: [UInt8], as unit: SyncUnit) -> [UInt8] { PlainSealing().seal(body, as: unit) }

    func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] { throw .unknownKey(epoch: 2) }
}
