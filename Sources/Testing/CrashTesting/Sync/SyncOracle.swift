import FoundationEssentials
import Sync

/// What must hold between a device and its hub at every moment, and so after every crash.
struct SyncOracle {
    let content: ReplicaContent
    let hub: LabHub

    /// The broken promises, each in a sentence.
    var problems: [String] {
        var problems: [String] = []
        if !content.isStamping, let first = content.unstamped.first {
            problems.append("a record of \(first) has no stamps: it is never sent")
        }
        if let last = hub.pushes[content.device]?.number, last > content.pushNumber, content.epoch == hub.epoch,
            !hub.hasCopy(of: content.device)
        {
            problems.append("the hub has push \(last), and the device would use that number again")
        }
        // A hub that was restored, or has lost something, shows in its answers.
        guard content.epoch == hub.epoch, !hub.hasLost else { return problems }
        return problems + lostChanges + missedChanges
    }

    /// Units that are not to be sent, although the hub does not have them.
    private var lostChanges: [String] {
        content.units.sorted { ($0.key.record.uuidString, $0.key.unit) < ($1.key.record.uuidString, $1.key.unit) }
            .compactMap { name, unit in
                guard !unit.isPending, !unit.isParked, !isHeld(name, unit.key) else { return nil }
                return "unit \(name.unit) of a record is neither to be sent nor at the hub"
            }
    }

    private func isHeld(_ name: ReplicaContent.Name, _ key: [UInt8]) -> Bool {
        if hub.purge(of: name.record) != nil { return true }
        return hub.units[name].map { !$0.unit.key.lexicographicallyPrecedes(key) } ?? false
    }

    /// Units of the hub up to the device's cursor that the device does not have.
    private var missedChanges: [String] {
        hub.units.values.filter { $0.sequence <= content.cursor }.sorted { $0.sequence < $1.sequence }
            .compactMap { numbered in
                let name = ReplicaContent.Name(record: numbered.unit.record, unit: numbered.unit.unit)
                let isPurged = content.units[.init(record: name.record, unit: SyncUnit.existence)].map {
                    SyncUnit(record: name.record, unit: SyncUnit.existence, key: $0.key, body: []).isPurge
                }
                if isPurged == true { return nil }
                if let own = content.units[name], !own.key.lexicographicallyPrecedes(numbered.unit.key) { return nil }
                return "the cursor is \(content.cursor), and unit \(numbered.sequence) was not applied"
            }
    }
}
