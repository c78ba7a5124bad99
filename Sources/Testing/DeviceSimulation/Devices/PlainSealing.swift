import FoundationEssentials
import Records
import Sync
import Threading

/// Sealing that hides nothing: names are hashes, and bodies carry a sum, so that a mix-up of metadata is found.
package struct PlainSealing: UnitSealing {
    package init() {}

    package func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID {
        var high: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(collection)
        var low: UInt64 = 0x9E37_79B9_7F4A_7C15
        for byte in key {
            high = (high ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            low = (low &+ UInt64(byte)) &* 0xBF58_476D_1CE4_E5B9 ^ high >> 7
        }
        return UUID(high: high, low: low)
    }

    package func seal(_ body: [UInt8], as unit: SyncUnit) -> [UInt8] { body + sum(body, unit) }

    package func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] {
        let body = Array(unit.body.dropLast(8))
        guard Array(unit.body.suffix(8)) == sum(body, unit) else { throw .forged }
        return body
    }

    private func sum(_ body: [UInt8], _ unit: SyncUnit) -> [UInt8] {
        let value = unit.digest &+ UInt64(unit.flags.rawValue) &+ body.reduce(0) { $0 &* 31 &+ UInt64($1) }
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}

/// Plain sealing with a trap: units are sealed and opened within transactions, so that what a process leaves behind that dies there
/// can be copied at that moment.
final class TrappedSealing: UnitSealing {
    private struct Trap {
        var unitsLeft: Int
        let spring: @Sendable () -> Void
    }

    private let plain = PlainSealing()
    private let trap = ForkSafeMutex<Trap?>(nil)

    /// Calls a closure when so many units were sealed or opened.
    func set(after units: Int, _ spring: @escaping @Sendable () -> Void) {
        trap.withLock { $0 = Trap(unitsLeft: units, spring: spring) }
    }

    func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID { plain.name(ofRecord: key, in: collection) }

    func seal(_ body: [UInt8], as unit: SyncUnit) -> [UInt8] {
        count()
        return plain.seal(body, as: unit)
    }

    func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] {
        count()
        return try plain.open(unit)
    }

    private func count() {
        let spring = trap.withLock { trap -> (@Sendable () -> Void)? in
            guard let left = trap?.unitsLeft else { return nil }
            guard left <= 1 else {
                trap?.unitsLeft = left - 1
                return nil
            }
            return trap.take()?.spring
        }
        spring?()
    }
}
