import Injection

extension InjectionPoint {
    /// Index entries are written in a second transaction, after the records.
    package static var indexOutsideTransaction: Self { Self() }
    /// Roll-ups are counted in a second transaction, after the records.
    package static var rollUpInSecondTransaction: Self { Self() }
    /// Tallies are counted in a second transaction, after the records.
    package static var tallyInSecondTransaction: Self { Self() }
    /// Entries of indexes with several keys, such as that of words, are written in a second transaction.
    package static var searchIndexOutsideTransaction: Self { Self() }
    /// Records that name a deleted one stay as they are.
    package static var skipsCascades: Self { Self() }
    /// Changes of untracked collections are in the change log all the same.
    package static var tracksUntracked: Self { Self() }
    /// Values are not compared with their checksums.
    package static var ignoresChecksums: Self { Self() }
    /// The change log keeps only its last row, whatever undo still needs.
    package static var trimsLogTooEarly: Self { Self() }

    // MARK: Consumers of changes

    /// The change log is trimmed although a registered consumer has not read it.
    package static var ignoresConsumers: Self { Self() }

    // MARK: Sessions

    /// A session does not show a write any more as soon as the store begins it.
    package static var hidesPendingWrites: Self { Self() }
    /// A session shows a write that has failed as before.
    package static var keepsFailedWrites: Self { Self() }

    // MARK: Salvage

    /// A former copy of a lost record is taken for its last version, whatever indexes and the change log say.
    package static var salvagesAnyVersion: Self { Self() }
    /// Entries of a damaged file are taken whatever their checksums say.
    package static var salvagesUnchecked: Self { Self() }

    // MARK: Rules of time

    /// Today is computed with days of 86,400 seconds, from the offset at the opening.
    package static var countsDaysOf86400Seconds: Self { Self() }
    /// The zone of the opening is kept, wherever the person travels.
    package static var keepsZoneOfOpening: Self { Self() }
    /// Windows for undo are measured by the wall clock.
    package static var measuresUndoByWallClock: Self { Self() }
    /// Live views do not report tasks that change their place.
    package static var missesMoves: Self { Self() }
    /// A completion that is undone stays counted.
    package static var neverReversesCounts: Self { Self() }
}
