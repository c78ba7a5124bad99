import CivilTime
import Foundation
import KeyValue
import Testing

@testable import Records

@Suite struct DamagedLogTests {
    private func filledStore() async throws -> TestStore {
        let opened = try TestStore()
        for number in 1...20 { try await opened.put(Reading(UInt64(number))) }
        return opened
    }

    /// Damage to a row.
    enum Damage: CaseIterable {
        case flipped, missing, keyFlipped

        func apply(to sequence: UInt64, of store: RecordStore) async throws {
            let key = sequence.keyBytes.array
            let row = try #require(try store.rawEntries("changes").first { $0.key == key })
            switch self {
            case .flipped: try await store.rawPut("changes", key, [row.value[0] ^ 16] + row.value.dropFirst())
            case .missing: try await store.rawDelete("changes", key)
            case .keyFlipped:
                try await store.rawDelete("changes", key)
                try await store.rawPut("changes", (sequence | 1 << 40).keyBytes.array, row.value)
            }
        }
    }

    @Test("Undo and redo refuse a log that lacks a row in the middle, and change nothing")
    func missingRow() async throws {
        let opened = try await filledStore()
        // Rows 21 and 22: there is something to redo, and something more to undo.
        for _ in 0..<2 { try await opened.store.write { try $0.undo() } }
        try await Damage.missing.apply(to: 7, of: opened.store)
        let before = try opened.readings()
        let damage = RecordsError.damagedEntry(table: "changes", key: "")
        await #expect(throws: damage) { try await opened.store.write { try $0.undo() } }
        await #expect(throws: damage) { try await opened.store.write { try $0.redo() } }
        await #expect(throws: damage) { try await opened.store.write { try $0.undo(3) } }
        #expect(try opened.readings() == before)
        #expect(try opened.store.information().lastSequence == 22)
        // A rebuild truncates the log after the gap, and later changes can be undone again.
        _ = try await opened.store.rebuild()
        try await opened.put(Reading(50))
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings() == before)
    }

    @Test("An earlier change cannot be undone when a later row is missing, which may concern the same record")
    func missingLaterRow() async throws {
        let opened = try TestStore()
        for level in [1, 2, 3] as [Int32] { try await opened.put(Reading(1, level: level)) }
        try await opened.put(Reading(2))
        let before = try opened.readings()
        try await Damage.missing.apply(to: 3, of: opened.store)
        await #expect(throws: RecordsError.damagedEntry(table: "changes", key: "")) {
            try await opened.store.write { try $0.undo(2) }
        }
        #expect(try opened.readings() == before)
    }

    @Test(
        "A damaged log is truncated after its last damage, and continues with higher sequence numbers [S-11]",
        arguments: Damage.allCases
    )
    func damagedLogIsTruncated(damage: Damage) async throws {
        let opened = try await filledStore()
        let before = try opened.readings()
        try await damage.apply(to: 4, of: opened.store)
        try await damage.apply(to: 7, of: opened.store)
        #expect(try !opened.store.verify().isClean)
        let report = try await opened.store.rebuild()
        #expect(report.isComplete)
        #expect(report.changesRemoved >= 5)
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.readings() == before)
        let information = try opened.store.information()
        // A row whose key is damaged sorts last, so that all rows precede it.
        #expect(information.firstSequence == (damage == .keyFlipped ? information.lastSequence : 8))
        #expect(information.lastSequence > 20)

        await #expect(throws: RecordsError.changesTrimmed(oldest: information.firstSequence)) {
            _ = try await opened.store.changes(after: 5).makeAsyncIterator().next()
        }
        let next = try await opened.store.changes(after: information.lastSequence - 1).makeAsyncIterator().next()
        #expect(next?.entries == [])
        #expect(next?.sequence == information.lastSequence)
    }

    @Test("Undo stops where the log was truncated, and works for later changes", arguments: Damage.allCases)
    func undoStops(damage: Damage) async throws {
        let opened = try await filledStore()
        try await damage.apply(to: 7, of: opened.store)
        _ = try await opened.store.rebuild()
        try await opened.put(Reading(50))
        let undone = damage == .keyFlipped ? 1 : 14
        for _ in 0..<undone { try await opened.store.write { try $0.undo() } }
        #expect(try opened.readings().count == 21 - undone)
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        for _ in 0..<undone { try await opened.store.write { try $0.redo() } }
        #expect(try opened.readings().count == 21)
        await #expect(throws: RecordsError.nothingToRedo) { try await opened.store.write { try $0.redo() } }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("No sequence number is used twice, even if the last row is damaged")
    func lastRow() async throws {
        let opened = try await filledStore()
        try await Damage.flipped.apply(to: 20, of: opened.store)
        _ = try await opened.store.rebuild()
        let information = try opened.store.information()
        #expect(information.firstSequence == 21)
        #expect(information.lastSequence == 21)
        await #expect(throws: RecordsError.nothingToUndo) { try await opened.store.write { try $0.undo() } }
        try await opened.put(Reading(50))
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings().count == 20)
    }

    @Test("An empty change log beside records is found and restarted")
    func emptied() async throws {
        let opened = try await filledStore()
        for number in 1...20 { try await opened.store.rawDelete("changes", UInt64(number).keyBytes.array) }
        #expect(try opened.store.verify().problems == ["changes: no change is left of what was written"])
        _ = try await opened.store.rebuild()
        #expect(try opened.store.verify().problems == [])
    }

    @Test("Writing continues after a damaged last row; an impossible sequence number is refused")
    func endlessNumber() async throws {
        let opened = try await filledStore()
        try await Damage.flipped.apply(to: 20, of: opened.store)
        try await opened.put(Reading(30))
        #expect(try opened.store.information().lastSequence == 21)
        try await opened.store.rawPut("changes", [UInt8](repeating: 0xFF, count: 8), [1])
        await #expect(throws: RecordsError.damagedEntry(table: "changes", key: "ffffffffffffffff")) {
            try await opened.put(Reading(31))
        }
        _ = try await opened.store.rebuild()
        try await opened.put(Reading(31))
        #expect(try opened.store.information().lastSequence < 30)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A feed delivers the changes before damage, then throws, and skips nothing [S-13]")
    func feed() async throws {
        for damage in [Damage.flipped, .missing] {
            let opened = try await filledStore()
            try await damage.apply(to: 7, of: opened.store)
            let changes = opened.store.changes(after: 2).makeAsyncIterator()
            for sequence in 3...6 { #expect(try await changes.next()?.sequence == UInt64(sequence)) }
            let key = UInt64(7).keyBytes.hexadecimal
            for _ in 0..<2 {
                await #expect(throws: RecordsError.damagedEntry(table: "changes", key: key)) {
                    _ = try await changes.next()
                }
            }
            let behind = opened.store.changes(after: 7).makeAsyncIterator()
            #expect(try await behind.next()?.sequence == 8)
        }
    }
}
