import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct UndoTests {
    @Test("Undo returns to the empty store and redo to the last state, across a reopen")
    func backAndForth() async throws {
        var opened = try TestStore()
        var dice = Dice(31)
        var states = [try opened.readings()]
        for _ in 0..<60 {
            let reading = Reading.random(UInt64(dice.below(12)), &dice)
            let deletes = dice.chance(30)
            let sequence = try await opened.store.writeNumbered { transaction in
                if deletes {
                    try transaction.delete(Reading.self, id: reading.id)
                } else {
                    try transaction.put(reading)
                }
            }.sequence
            if sequence != 0 { states.append(try opened.readings()) }
        }
        for state in states.dropLast().reversed() {
            try await opened.store.write { try $0.undo() }
            #expect(try opened.readings() == state)
        }
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        opened = try opened.reopened()
        for state in states.dropFirst() {
            try await opened.store.write { try $0.redo() }
            #expect(try opened.readings() == state)
        }
        await #expect(throws: RecordsError.nothingToRedo) { try await opened.store.write { try $0.redo() } }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A new change clears the stack for redo")
    func newChangeEndsRedo() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        try await opened.store.write { try $0.undo() }
        try await opened.put(Reading(2))
        await #expect(throws: RecordsError.nothingToRedo) { try await opened.store.write { try $0.redo() } }
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().isEmpty)
    }

    @Test("Undo and redo return the label of their operation")
    func labels() async throws {
        let opened = try TestStore()
        let label = ChangeLabel(operation: "readings.import", origin: .importing)
        try await opened.store.write(label) { try $0.put(Reading(1)) }
        #expect(try await opened.store.write { try $0.undo() } == label)
        #expect(try await opened.store.write { try $0.redo() } == label)
    }

    @Test("An operation of several transactions is undone and redone as one")
    func continued() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        let first = try await opened.store.writeNumbered { try $0.put(Reading(2)) }.sequence
        for number in 3...5 {
            try await opened.store.write(continuing: first) { try $0.put(Reading(UInt64(number))) }
        }
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().count == 1)
        try await opened.store.write { try $0.redo() }
        #expect(try opened.readings().count == 5)
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().isEmpty)
    }

    @Test("An interrupted operation is undone part by part")
    func interrupted() async throws {
        let opened = try TestStore()
        let first = try await opened.store.writeNumbered { try $0.put(Reading(1)) }.sequence
        try await opened.put(Reading(2))
        try await opened.store.write(continuing: first) { try $0.put(Reading(3)) }
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().keys.sorted { $0.uuidString < $1.uuidString } == [uuid(1), uuid(2)])
        try await opened.store.write { try $0.undo() }
        #expect(try Array(opened.readings().keys) == [uuid(1)])
    }

    @Test("A single change can be undone unless a later one touched the same record")
    func selective() async throws {
        let opened = try TestStore()
        let first = try await opened.store.writeNumbered { try $0.put(Reading(1, level: 1)) }.sequence
        let second = try await opened.store.writeNumbered { try $0.put(Reading(2, level: 1)) }.sequence
        let third = try await opened.store.writeNumbered { try $0.put(Reading(2, level: 2)) }.sequence
        await #expect(throws: RecordsError.changedSince) { try await opened.store.write { try $0.undo(second) } }
        try await opened.store.write { try $0.undo(first) }
        #expect(try opened.readings() == [uuid(2): Reading(2, level: 2)])
        // That was a separate change.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().count == 2)
        await #expect(throws: RecordsError.changedSince) { try await opened.store.write { try $0.undo(first) } }
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo(99) } }
        _ = third
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A record that is created and deleted in one transaction leaves no change")
    func cameAndWent() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        let sequence = try await opened.store.writeNumbered { transaction in
            try transaction.put(Reading(2, at: TestStore.start))
            try transaction.delete(Reading.self, id: uuid(2))
        }.sequence
        #expect(sequence == 0)
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().isEmpty)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Undo in a transaction with changes is refused and leaves nothing")
    func undoAfterChanges() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        await #expect(throws: RecordsError.self) {
            try await opened.store.write { transaction in
                try transaction.put(Reading(2))
                try transaction.undo()
            }
        }
        #expect(try Array(opened.readings().keys) == [uuid(1)])
    }
}
