import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct OriginTests {
    private static let calibrate = ChangeLabel(operation: "readings.calibrate")
    private static let sync = ChangeLabel(operation: "readings.merge", origin: .sync)

    @Test(
        "A user's undo never takes back what sync, a rollover or an expiry did", arguments: 1...8 as ClosedRange<UInt64>
    )
    func undoByOrigin(seed: UInt64) async throws {
        let opened = try TestStore()
        let store = opened.store
        var dice = Dice(seed)
        // What each record has, and what the user's stacks hold: the record, its values before and after.
        var state: [UInt64: Int32] = [:]
        var undoStack: [(record: UInt64, before: Int32?, after: Int32?, at: Int)] = []
        var redoStack: [(record: UInt64, before: Int32?, after: Int32?, at: Int)] = []
        var foreign: [UInt64: Int] = [:]
        for step in 0..<150 {
            let record = UInt64(dice.below(6))
            let level = Int32(step + 1)
            switch dice.below(6) {
            case 0, 1:
                try await store.write(Self.calibrate) { try $0.put(Reading(record, level: level)) }
                undoStack.append((record, state[record], level, step))
                redoStack = []
                state[record] = level
            case 2:
                let origins: [ChangeOrigin] = [.sync, .rollover, .expiry]
                let label = ChangeLabel(operation: "readings.merge", origin: dice.pick(origins))
                try await store.write(label) { try $0.put(Reading(record, level: level)) }
                state[record] = level
                foreign[record] = step
            case 3, 4:
                let error = await recordsError { try await store.write { _ = try $0.undo() } }
                guard var top = undoStack.last else {
                    #expect(error == .nothingToUndo)
                    continue
                }
                if let touched = foreign[top.record], touched > top.at {
                    #expect(error == .changedSince)
                } else {
                    #expect(error == nil)
                    state[top.record] = top.before
                    undoStack.removeLast()
                    top.at = step
                    redoStack.append(top)
                }
            default:
                let error = await recordsError { try await store.write { _ = try $0.redo() } }
                guard var top = redoStack.last else {
                    #expect(error == .nothingToRedo)
                    continue
                }
                if let touched = foreign[top.record], touched > top.at {
                    #expect(error == .changedSince)
                } else {
                    #expect(error == nil)
                    state[top.record] = top.after
                    redoStack.removeLast()
                    top.at = step
                    undoStack.append(top)
                }
            }
            #expect(
                try opened.readings().mapValues(\.level)
                    == Dictionary(uniqueKeysWithValues: state.map { (uuid($0), $1) }))
        }
        #expect(try store.verify().problems == [])
    }

    @Test("Operations and origins are in the change feed by name, also after a purge rewrote their rows")
    func labels() async throws {
        let opened = try TestStore()
        try await opened.store.write(Self.calibrate) { transaction in
            try transaction.put(Reading(1))
            try transaction.put(Reading(2))
        }
        try await opened.store.write(Self.sync) { try $0.put(Reading(3)) }
        try await opened.store.write { _ = try $0.purgeHistory(of: Reading.self, id: uuid(1)) }
        let feed = opened.store.changes(after: 0).makeAsyncIterator()
        #expect(try await feed.next()?.label == Self.calibrate)
        #expect(try await feed.next()?.label == Self.sync)
        let long = String(repeating: "x", count: 70)
        try await opened.store.write(ChangeLabel(operation: long)) { try $0.put(Reading(4)) }
        #expect(try await feed.next()?.label.operation == String(long.prefix(60)))
    }

    @Test("A closure that catches a refused undo writes an edit, which can be undone")
    func caughtUndo() async throws {
        let opened = try TestStore()
        let store = opened.store
        try await store.write(Self.calibrate) { try $0.put(Reading(1, level: 1)) }
        try await store.write(Self.sync) { try $0.put(Reading(1, level: 2)) }
        try await store.write(ChangeLabel(operation: "readings.add")) { transaction in
            #expect(throws: RecordsError.changedSince) { try transaction.undo() }
            try transaction.put(Reading(2))
        }
        #expect(try await store.write { try $0.undo() }.operation == "readings.add")
        #expect(try opened.readings().mapValues(\.level) == [uuid(1): 2])
    }

    @Test("An operation has the undo window of its declaration")
    func window() throws {
        let schema = Reading.schema.declaring(
            OperationDeclaration("readings.calibrate", undoWindow: .milliseconds(1500)))
        let opened = try TestStore(schema: schema)
        let now = opened.store.context.clock.monotonic
        #expect(opened.store.undoDeadline(of: "readings.calibrate")?.microseconds(since: now) == 1_500_000)
        #expect(opened.store.undoDeadline(of: "readings.other") == nil)
        let twice = Schema().declaring(OperationDeclaration("a"), OperationDeclaration("a"))
        #expect(throws: RecordsError.self) { try TestStore(schema: twice) }
    }
}

@Suite struct DomainVersionTests {
    private func schema(_ versions: [String: UInt32]) -> Schema {
        versions.sorted { $0.key < $1.key }.reduce(Reading.schema) {
            $0.adding(Schema(domain: $1.key, version: $1.value))
        }
    }

    @Test("A newer version of one domain locks out only programs that know it")
    func newerDomain() throws {
        let opened = try TestStore(schema: schema(["tasks": 1]))
        let second = try opened.reopened(schema: schema(["tasks": 1, "journal": 3]))
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 3, known: 2)) {
            try second.reopened(schema: schema(["journal": 2]))
        }
        let third = try second.reopened(schema: schema(["tasks": 2]))
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 2, known: 1)) {
            try third.reopened(schema: schema(["tasks": 1]))
        }
        _ = try third.reopened(schema: schema(["journal": 4]))
    }
}
