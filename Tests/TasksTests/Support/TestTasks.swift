import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@_exported import func TestSupport.uuid  // for every file of the target

@testable import Tasks

/// A task list with a settable clock, a settable zone and seeded random numbers.
final class TestTasks: Sendable {
    let folder: TemporaryFolder
    let clock: SettableClock
    let zone: SettableZone
    let context: Context
    let store: RecordStore
    let tasks: TaskList

    init(
        at now: String = "2026-02-11T10:00:00Z", zone name: String = "Europe/Berlin", seed: UInt64 = 1,
        weekStart: Weekday = .monday, folder: TemporaryFolder = TemporaryFolder(on: .memory)
    ) throws {
        let clock = SettableClock(try Instant(now))
        let zone = SettableZone(try Zone(name))
        self.folder = folder
        self.clock = clock
        self.zone = zone
        context = Context(
            clock: clock, random: SeededRandomSource(seed: seed), zones: zone, weekStart: weekStart)
        store = try RecordStore(at: "\(folder.path)/store", schema: TaskList.schema, context: context)
        tasks = TaskList(store: store)
    }

    deinit {
        store.close()
    }

    /// Closes the store and opens its folder again, at the same time and in the same zone.
    func reopened() throws -> TestTasks {
        store.close()
        let again = try TestTasks(
            at: clock.wall.description, zone: zone.zone.identifier, weekStart: context.weekStart, folder: folder)
        again.clock.advance(byMicroseconds: 0)
        return again
    }

    var today: Day { context.today }

    var tomorrow: Day { today.advanced(by: 1) }

    func texts(_ view: TaskView) throws -> [String] {
        try tasks.read { try $0.tasks(in: view) }.map(\.text)
    }

    /// Every task and every tombstone, which a refused operation must not change.
    func dump() throws -> [String] {
        try tasks.read { reading in
            var lines: [String] = []
            try reading.forEach { lines.append("\($0) \($1)") }
            try reading.forEachTombstone { lines.append("\($0)") }
            return lines
        }
    }

    func lastSequence() throws -> UInt64 { try store.read { try $0.lastSequence() } }

    func expectSound(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var problems = try store.verify().problems
        try tasks.checkInvariants { problems.append($0) }
        try #require(problems == [], comment, sourceLocation: sourceLocation)
    }

    /// Sets the clock forward to a moment of today or a later day in the zone.
    func advance(to day: Day, secondsIntoDay: Int = 0) {
        let target = zone.zone.instant(day: day, secondsIntoDay: secondsIntoDay)
        clock.advance(byMicroseconds: target.microsecondsSince1970 - clock.wall.microsecondsSince1970)
    }
}

/// Random choices that a seed determines.
typealias Dice = TestSupport.Dice

/// Returns the error of this module that a closure throws, if any.
func taskError(of work: () async throws -> Void) async -> TaskError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? TaskError
    }
}
