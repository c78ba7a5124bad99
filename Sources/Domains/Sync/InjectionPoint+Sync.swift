import Injection

extension InjectionPoint {
    // MARK: Steps of sync that are one transaction

    /// Changes are stamped in a second transaction, after the records.
    package static var stampsInSecondTransaction: Self { Self() }
    /// What is sent counts as acknowledged.
    package static var settlesWhenSent: Self { Self() }

    // MARK: Rules of sync

    /// A change stamps every part of its record, so that the later of two changes wins over all of the other.
    package static var stampsWholeRecords: Self { Self() }
    /// Of two changes at the same time each device keeps its own.
    package static var keepsOwnInTies: Self { Self() }
    /// An acknowledged push settles the record, whatever was changed since it was sent.
    package static var settlesBlindly: Self { Self() }
    /// A change is refused while the wall clock is behind a stamp that was seen.
    package static var refusesClocksThatAreBehind: Self { Self() }
    /// What was deleted is forgotten as soon as the hub has it.
    package static var forgetsDeletions: Self { Self() }
    /// Reopening a task does not begin a new epoch.
    package static var reopensInTheSameEpoch: Self { Self() }
    /// How far a device has read is stored before what it has read.
    package static var storesCursorFirst: Self { Self() }
}
