import CivilTime

/// When and where something was read: until a commit, the midnight that ends the day, a step of the clock or a change of
/// the zone, the same would be read again.
package struct ReadingMoment: Sendable {
    /// The wall clock.
    package let now: Instant
    /// The zone.
    package let zone: Zone
    let generation: UInt64

    /// The day in the zone.
    package var today: Day { zone.day(of: now) }
    /// The end of the day.
    package var midnight: Instant { zone.end(of: today) }
}

extension RecordStore {
    /// The present moment, to be taken before reading.
    package func moment() throws(RecordsError) -> ReadingMoment {
        let generation = try commitSignal().generation
        let now = context.clock.wall
        return ReadingMoment(now: now, zone: context.zone, generation: generation)
    }

    /// Returns when what was read at a moment may have changed. Each of the three waits compares with the moment, so
    /// nothing since is missed. Nothing runs in between but one timer for the next midnight.
    ///
    /// - Parameter other: an instant at which what was read changes as well; nil for none.
    /// - Throws: `RecordsError` if the store is closed, `CancellationError` when the task is cancelled.
    package func waitForNews(since moment: ReadingMoment, or other: Instant? = nil) async throws {
        let signal = try commitSignal()
        let context = context
        // The last day of the calendar has no next midnight.
        let midnight = moment.midnight > moment.now ? moment.midnight : Instant(microsecondsSince1970: .max)
        let end = min(midnight, other ?? midnight)
        if end <= moment.now { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signal.wait(past: moment.generation) }
            group.addTask { try await context.clock.sleep(while: moment.now..<end) }
            group.addTask { try await context.zones.waitForChange(from: moment.zone) }
            try await group.next()
            group.cancelAll()
        }
    }
}
