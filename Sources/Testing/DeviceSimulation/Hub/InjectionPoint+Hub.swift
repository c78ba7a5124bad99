import Injection
import Sync

extension InjectionPoint {
    /// The hub draws the numbers of units before it locks their space, so that they are not in the order of commits.
    package static var numbersUnitsOutsideLock: Self { Self() }

    /// The points that break a rule of sync: for devices that are simulated.
    package static let ofSync: [Self] = [
        .stampsWholeRecords, .keepsOwnInTies, .settlesBlindly, .refusesClocksThatAreBehind, .forgetsDeletions,
        .reopensInTheSameEpoch, .storesCursorFirst, .numbersUnitsOutsideLock,
    ]
}
