import CivilTime
import Foundation
import Injection
import Testing

@testable import Records

@Suite struct ReferenceTests {
    @Test("A deletion takes thousands of records along, is undone as one operation, and redone")
    func cascade() async throws {
        // More than fit into one row of the change log.
        let count: UInt64 = 9_000
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sensor(2, "cellar", neighbor: 1))
            for number in 0..<count { try transaction.put(Sample(number, of: 1)) }
        }
        let full = try contents(opened.store)
        let sequence = try await opened.store.writeNumbered { try $0.delete(Sensor.self, id: uuid(1)) }.sequence
        let emptied = try contents(opened.store)
        #expect(emptied.samples.isEmpty && emptied.sensors == [Sensor(2, "cellar")])
        #expect(try opened.store.read { try $0[Sample.perSensor].count(of: uuid(1)) } == 0)
        for _ in 0..<2 {
            try await opened.store.write { _ = try $0.undo() }
            #expect(try contents(opened.store) == full)
            try await opened.store.write { _ = try $0.redo() }
            #expect(try contents(opened.store) == emptied)
        }
        #expect(try opened.store.verify().problems == [])
        // Each row is of bounded size, and the feed has every record.
        var deleted = 0
        let feed = opened.store.changes(after: sequence - 2).makeAsyncIterator()
        while deleted < Int(count) + 1, let change = try await feed.next() {
            #expect(change.entries.count <= 8192)
            deleted += change.entries.count { $0.kind == .deleted }
        }
        #expect(deleted == Int(count) + 1)
    }

    private struct Contents: Equatable {
        var sensors: [Sensor]
        var samples: [Sample]
    }

    private func contents(_ store: RecordStore) throws -> Contents {
        try store.read { transaction in
            Contents(
                sensors: try transaction[Sensor.self].page(limit: .max),
                samples: try transaction[Sample.self].page(limit: .max))
        }
    }

    @Test("A record that others name is not deleted where the rule says so, and nothing of the transaction is kept")
    func restrict() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { transaction in
            // The order within a transaction does not matter.
            try transaction.put(Sample(1, of: 1, alarm: 5))
            try transaction.put(Alarm(5))
            try transaction.put(Sensor(1, "roof"))
        }
        let error = await recordsError {
            try await store.write { transaction in
                try transaction.put(Sensor(2, "cellar"))
                try transaction.delete(Alarm.self, id: uuid(5))
            }
        }
        #expect(error == .stillReferenced(by: "samples.ofAlarm"))
        #expect(try store.read { try $0[Sensor.self].count() } == 1)
        try await store.write { transaction in
            try transaction.delete(Alarm.self, id: uuid(5))
            try transaction.delete(Sample.self, id: uuid(1_000_001))
        }
        try await store.write { _ = try $0.undo() }
        #expect(try store.read { try $0[Alarm.self].count() } == 1)
        #expect(try store.verify().problems == [])
    }

    @Test("Deleting many records in one transaction looks at each of them a fixed number of times")
    func manyDeletions() async throws {
        let opened = try TestStore(schema: Garden.schema)
        var costs: [Int] = []
        for count in [10, 100] as [UInt64] {
            try await opened.store.write { transaction in
                for number in 0..<count { try transaction.put(Sensor(number, "s\(number)")) }
            }
            try await opened.store.write { transaction in
                for number in 0..<count { try transaction.delete(Sensor.self, id: uuid(number)) }
            }
            let counters = opened.store.lastWriteCounters
            costs.append((counters.gets + counters.cursorSteps) / Int(count))
        }
        #expect(costs[1] <= costs[0] + 1)
    }

    @Test("A roll-up over an index with several keys is refused")
    func rollUpOfSeveralKeys() {
        #expect(throws: RecordsError.self) { try TestStore(schema: Schema().adding(Log.collection)) }
    }

    private struct Log: Record {
        var id: UUID
        static let byTime = Index<Log, Instant>(each: "byTime") { _ in [] }
        static let perDay = RollUp("perDay", over: byTime)
        static let collection = RecordCollection<Log>("logs") {
            byTime
            perDay
        }
        init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
        func encode(into fields: inout FieldEncoder) {}
    }

    @Test("A record that names a missing one is refused; to name none is allowed")
    func missing() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let error = await recordsError { try await opened.store.write { try $0.put(Sample(1, of: 1)) } }
        #expect(error == .missingTarget(reference: "samples.ofSensor"))
        try await opened.store.write { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sample(1, of: 1))
        }
        #expect(try opened.store.read { try $0[Sample.ofSensor].prefix(uuid(1)).count } == 1)
    }

    @Test("A cascade that is left out is found by verify")
    func cascadeLeftOut() async throws {
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(.skipsCascades)
        let opened = try TestStore(schema: Garden.schema, options: options)
        try await opened.store.write { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sample(1, of: 1))
        }
        #expect(try opened.store.verify().isClean)
        _ = try await opened.store.write { try $0.delete(Sensor.self, id: uuid(1)) }
        #expect(
            try opened.store.verify().problems.contains { $0.contains("names a record of sensors that does not exist") }
        )
    }
}

@Suite struct DerivedInjectionTests {
    @Test("Between the two transactions of an injected fault a tally is wrong, and verify reports it")
    func tallyInSecondTransaction() throws {
        let opened = try TestStore(schema: Garden.schema)
        try opened.store.write { try $0.put(Sensor(1, "roof")) }
        let postponed = PostponedWrites(ArmedInjectionPoints(.tallyInSecondTransaction))
        try opened.store.environment.write { engine in
            let transaction = WriteTransaction(
                schema: opened.store.schema, context: opened.store.context, identifiers: opened.store.identifiers,
                label: ChangeLabel(), retention: ChangeLogRetention(), oldestNeeded: 0, continuing: nil,
                postponed: postponed, engine: engine)
            defer { transaction.end() }
            try transaction.put(Sample(1, of: 1))
            _ = try transaction.finish()
        }
        #expect(try opened.store.verify().problems.contains { $0.hasSuffix("the count is missing") })
        try postponed?.perform(in: opened.store.environment)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("An injected fault writes changes of an untracked collection into the change log, where undo finds them")
    func tracksUntracked() async throws {
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(.tracksUntracked)
        let opened = try TestStore(schema: Garden.schema, options: options)
        try await opened.store.write { try $0.put(Draft(1, "draft")) }
        #expect(try opened.store.read { try $0.lastSequence() } == 1)
        try await opened.store.write { _ = try $0.undo() }
        #expect(try opened.store.read { try $0[Draft.self].count() } == 0)
    }
}

@Suite struct UniqueIndexTests {
    @Test("A second record with the key is refused, and the error names the index and no text")
    func duplicate() async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { try $0.put(Sensor(1, "Secret")) }
        let error = await recordsError { try await opened.store.write { try $0.put(Sensor(2, "SECRET ")) } }
        #expect(error == .duplicateKey(index: "sensors.byName"))
        #expect(error.map { !"\($0)".lowercased().contains("secret") } == true)
        #expect(try opened.store.read { try $0[Sensor.byName].first(TextKey("sécret"))?.id } == uuid(1))
    }

    @Test("Two records can exchange their keys in one transaction, and undo takes it back")
    func exchange() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { transaction in
            try transaction.put(Sensor(1, "a"))
            try transaction.put(Sensor(2, "b"))
        }
        try await store.write { transaction in
            try transaction.put(Sensor(1, "b"))
            try transaction.put(Sensor(2, "a"))
        }
        #expect(try store.read { try $0[Sensor.byName].first(TextKey("a"))?.id } == uuid(2))
        try await store.write { _ = try $0.undo() }
        #expect(try store.read { try $0[Sensor.byName].first(TextKey("a"))?.id } == uuid(1))
        #expect(try store.verify().problems == [])
    }

    @Test("Damage in an index of texts is reported without the text")
    func privacy() async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { try $0.put(Draft(1, "secret")) }
        let table = try #require(
            opened.store.schema.collections.flatMap(\.derivedTables).first { $0.table.name == "drafts.byText" })
        let hexadecimal = KeyBytes(Array("secret".utf8)).hexadecimal
        let key = TextKey("secret").keyBytes
        let (error, shown) = (table.table.damage(key.bytes), table.table.shown(key.bytes))
        #expect(!"\(error)".contains(hexadecimal) && !shown.contains(hexadecimal))
    }
}

@Suite struct UntrackedTests {
    @Test("Changes of an untracked collection are durable, and neither logged nor undone")
    func untracked() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let first = try await store.writeNumbered { try $0.put(Sensor(1, "roof")) }.sequence
        for number in 0..<5 { _ = try await store.write { try $0.put(Draft(1, "draft \(number)")) } }
        #expect(try store.read { try $0.lastSequence() } == first)
        // Beside a tracked record only that one is in the log.
        let both = try await store.writeNumbered { transaction in
            try transaction.put(Sensor(2, "cellar"))
            try transaction.put(Draft(2, "beside"))
        }.sequence
        #expect(both == first + 1)
        try await store.write { _ = try $0.undo() }
        #expect(try store.read { try $0[Sensor.self].count() } == 1)
        #expect(try store.read { try $0[Draft.self].page().map(\.text) } == ["draft 4", "beside"])
        #expect(try store.verify().problems == [])
        let again = try opened.reopened(schema: Garden.schema)
        #expect(try again.store.read { try $0[Draft.byText].first(TextKey("DRAFT 4"))?.id } == uuid(1))
    }

    @Test("A tracked collection cannot refer to an untracked one")
    func reference() {
        #expect(throws: RecordsError.self) {
            try TestStore(schema: Schema().adding(Draft.collection).adding(Keeper.collection))
        }
    }

    private struct Keeper: Record {
        var id: UUID
        var draft: UUID?
        static let ofDraft = Reference<Keeper, Draft>("ofDraft", whenDeleted: .nullify, \.draft)
        static let collection = RecordCollection<Keeper>("keepers") { ofDraft }
        init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
        func encode(into fields: inout FieldEncoder) {}
    }
}

@Suite struct PageTests {
    @Test(
        "Pages neither repeat nor leave out a record, whatever is written between them [X-33, S-12]",
        arguments: [false, true])
    func writesBetween(backwards: Bool) async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { transaction in
            try transaction.put(Sensor(1, "roof"))
            for number in 0..<40 as Range<UInt64> {
                try transaction.put(Sample(number, of: 1, second: Int64(number % 4)))
            }
        }
        let original = try store.read { try $0[Sample.newest].records(in: .all, backwards: backwards).map(\.id) }
        var seen: [UUID] = []
        var token: PageToken?
        var number: UInt64 = 100
        repeat {
            let current = token
            let page = try store.read { try $0[Sample.newest].page(after: current, backwards: backwards, limit: 7) }
            seen += page.records.map(\.id).filter { original.contains($0) }
            token = try page.next.map { try #require(PageToken($0.description)) }
            #expect(token == page.next)
            if let last = page.records.last, let value = page.records.first {
                let new = Sample(number, of: 1, second: Int64(number % 4))
                number += 1
                try await store.write { transaction in
                    // The record that the token was made of disappears, another one of the page moves.
                    try transaction.delete(Sample.self, id: last.id)
                    try transaction.put(new)
                    _ = value
                }
            }
        } while token != nil
        #expect(seen == original)
    }

    @Test("The thousandth page costs as much as the first")
    func cost() async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            for number in 0..<3000 as Range<UInt64> { try transaction.put(Draft(number, "draft \(number)")) }
        }
        var costs: [Int] = []
        var token: PageToken?
        for _ in 0..<300 {
            let current = token
            token = try opened.store.read { transaction in
                let page = try transaction[Draft.byText].page(after: current, limit: 10)
                costs.append(transaction.counters.cursorSteps + transaction.counters.gets)
                return page.next
            }
        }
        #expect(token == nil)
        #expect(costs.max().map { $0 <= costs[0] + 2 } == true)
    }

    @Test("A token of another index, and a text that is none, are refused [S-63]")
    func foreign() async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            for number in 0..<3 as Range<UInt64> { try transaction.put(Sensor(number, "\(number)")) }
        }
        let token = try #require(try opened.store.read { try $0[Sensor.byName].page(limit: 1).next })
        #expect(throws: RecordsError.foreignPageToken) {
            try opened.store.read { try $0[Sample.newest].page(after: token).records.count }
        }
        for text in ["", "x", "!!!", String(token.description.dropLast()), token.description + "A"] {
            #expect(PageToken(text) == nil)
        }
    }
}
