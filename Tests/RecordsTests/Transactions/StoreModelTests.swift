import CivilTime
import Foundation
import Testing

@testable import Records

/// The store as plain dictionaries: every state, with stacks of complete states for undo and redo.
private struct Model {
    var state: [UUID: Reading] = [:]
    private var undoStack: [[UUID: Reading]] = []
    private var redoStack: [[UUID: Reading]] = []

    var canUndo: Bool { !undoStack.isEmpty }
    var canRedo: Bool { !redoStack.isEmpty }

    mutating func edit(to next: [UUID: Reading], continuing: Bool = false) {
        guard next != state else { return }
        if !continuing { undoStack.append(state) }
        redoStack = []
        state = next
    }

    mutating func undo() {
        redoStack.append(state)
        state = undoStack.removeLast()
    }

    mutating func redo() {
        undoStack.append(state)
        state = redoStack.removeLast()
    }

    var entriesByTime: [UUID] {
        state.values.filter { $0.takenAt != nil }.sorted {
            ($0.takenAt!, $0.id.uuidString) < ($1.takenAt!, $1.id.uuidString)
        }.map(\.id)
    }

    var entriesByLevel: [UUID] {
        state.values.sorted {
            (LevelKey(level: $0.level, day: $0.day ?? .first), $0.id.uuidString)
                < (LevelKey(level: $1.level, day: $1.day ?? .first), $1.id.uuidString)
        }.map(\.id)
    }

    func count(in range: Range<Instant>) -> Int {
        state.values.count { $0.takenAt.map(range.contains) ?? false }
    }
}

@Suite struct StoreModelTests {
    @Test(
        "Records, indexes, roll-ups, counts and undo equal a model after every step, and verify is clean [S-2]",
        arguments: 1...4 as ClosedRange<UInt64>)
    func lockstep(seed: UInt64) async throws {
        let opened = try TestStore()
        var dice = Dice(seed)
        var model = Model()
        var operation: UInt64 = 0
        for step in 0..<250 {
            opened.clock.advance(byMicroseconds: 1_000_000)
            switch dice.below(10) {
            case 0...5:
                let (next, changes) = Self.randomChanges(of: model.state, &dice)
                let continues = dice.chance(20) && operation != 0
                let sequence = try await opened.store.writeNumbered(continuing: continues ? operation : nil) {
                    for change in changes { try change($0) }
                }.sequence
                model.edit(to: next, continuing: continues)
                if sequence != 0, !continues { operation = sequence }
            case 6, 7:
                let error = await recordsError { try await opened.store.write { _ = try $0.undo() } }
                #expect((error == .nothingToUndo) == !model.canUndo)
                if error == nil { model.undo() }
                operation = 0
            default:
                let error = await recordsError { try await opened.store.write { _ = try $0.redo() } }
                #expect((error == .nothingToRedo) == !model.canRedo)
                if error == nil { model.redo() }
                operation = 0
            }
            try compare(opened, model, &dice)
            try #require(try opened.store.verify().problems == [], "after step \(step)")
        }
    }

    private typealias Step = @Sendable (WriteTransaction) throws -> Void

    /// One to three puts and deletes; sometimes a record comes and goes within the transaction.
    private static func randomChanges(
        of state: [UUID: Reading], _ dice: inout Dice
    ) -> (next: [UUID: Reading], changes: [Step]) {
        var next = state
        var steps: [Step] = []
        for _ in 0..<1 + dice.below(3) {
            let number = UInt64(dice.below(25))
            if dice.chance(70) {
                let reading = Reading.random(number, &dice)
                next[reading.id] = reading
                steps.append { try $0.put(reading) }
            } else {
                next[uuid(number)] = nil
                steps.append { try $0.delete(Reading.self, id: uuid(number)) }
            }
        }
        return (next, steps)
    }

    private func compare(_ opened: TestStore, _ model: Model, _ dice: inout Dice) throws {
        try #require(try opened.readings() == model.state)
        try opened.store.read { (transaction) throws in
            #expect(try transaction[Reading.self].count() == model.state.count)
            #expect(try transaction[Reading.byTime].range().map(\.id) == model.entriesByTime)
            #expect(try transaction[Reading.byLevel].range().map(\.id) == model.entriesByLevel)
            for _ in 0..<5 {
                let ends = [Instant.random(&dice), Instant.random(&dice)].sorted()
                #expect(
                    try transaction[Reading.perDay].count(in: ends[0]..<ends[1]) == model.count(in: ends[0]..<ends[1]))
            }
        }
    }
}
