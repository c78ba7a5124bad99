import Injection
import KeyValue
import Testing

@testable import Records

/// Each armed fault injection point breaks its promise in a plain way. That the lab notices is the lab's own test.
@Suite struct InjectionTests {
    enum Way: CaseIterable { case asynchronous, synchronous, together }

    private func injectedStore(_ point: InjectionPoint?) throws -> TestStore {
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(point)
        return try TestStore(options: options)
    }

    private func put(_ number: UInt64, in opened: TestStore, _ way: Way) async throws {
        let reading = Reading(number, at: TestStore.start)
        switch way {
        case .asynchronous: try await opened.put(reading)
        case .synchronous: try putOnThisThread(reading, in: opened)
        case .together:
            try opened.store.writeTogether([(ChangeLabel(), { @Sendable in try $0.put(reading) })])[0].get()
        }
    }

    private func putOnThisThread(_ reading: Reading, in opened: TestStore) throws {
        try opened.store.write { try $0.put(reading) }
    }

    private func transaction(_ opened: TestStore) -> UInt64 {
        opened.store.environment.statistics.lastTransaction
    }

    @Test(
        "An injected fault writes index entries and roll-ups in a second transaction",
        arguments: [nil, .indexOutsideTransaction, .rollUpInSecondTransaction] as [InjectionPoint?], Way.allCases)
    func secondTransaction(point: InjectionPoint?, way: Way) async throws {
        let opened = try injectedStore(point)
        for number in 0..<3 as Range<UInt64> {
            let before = transaction(opened)
            try await put(number, in: opened, way)
            #expect(transaction(opened) == before + (point == nil ? 1 : 2))
        }
        #expect(try opened.store.verify().isClean)
    }

    @Test("Between the two transactions the derived entry is missing")
    func missingBetween() throws {
        for (point, table) in [
            (.indexOutsideTransaction, "readings.byTime"), (.rollUpInSecondTransaction, "readings.perDay"),
        ] as [(InjectionPoint, String)] {
            let opened = try injectedStore(point)
            let checksummed = try opened.store.checksummedTable(table)
            let postponed = PostponedWrites(ArmedInjectionPoints(point))
            try opened.store.environment.write { engine in
                let transaction = WriteTransaction(
                    schema: opened.store.schema, context: opened.store.context,
                    identifiers: opened.store.identifiers, label: ChangeLabel(), retention: ChangeLogRetention(),
                    oldestNeeded: 0, continuing: nil, postponed: postponed, engine: engine)
                defer { transaction.end() }
                try transaction.put(Reading(1, at: TestStore.start))
                _ = try transaction.finish()
            }
            func entries() throws -> Int {
                try opened.store.environment.read { try $0.entryCount(of: checksummed.table) }
            }
            #expect(try entries() == 0)
            #expect(try opened.readings().count == 1)
            try postponed?.perform(in: opened.store.environment)
            #expect(try entries() == 1)
        }
    }

    @Test("A closure that throws, or runs twice, leaves nothing for a second transaction to do")
    func thrownClosure() throws {
        struct Refusal: Error {}
        let opened = try injectedStore(.indexOutsideTransaction)
        let before = transaction(opened)
        #expect(throws: Refusal.self) {
            try opened.store.write { transaction in
                try transaction.put(Reading(1, at: TestStore.start))
                throw Refusal()
            }
        }
        #expect(transaction(opened) == before)
    }

    @Test("An injected fault ignores checksums of values")
    func ignoredChecksums() async throws {
        for point in [nil, .ignoresChecksums] as [InjectionPoint?] {
            let opened = try injectedStore(point)
            try await opened.put(Reading(1, at: TestStore.start, level: 2))
            for table in ["readings.byTime", "readings.perDay", "changes"] {
                let value = try opened.store.rawEntries(table)[0].value
                // The last byte of the checksum: what was stored is as it was.
                try await opened.store.flip(table, byte: value.count - 1)
            }
            try await opened.store.flip("readings", byte: opened.store.rawEntries("readings")[0].value.count - 1)
            #expect(try opened.store.verify().problems.isEmpty == (point != nil))
            if point == nil {
                #expect(throws: RecordsError.self) { try opened.readings() }
            } else {
                #expect(try opened.readings()[uuid(1)]?.level == 2)
            }
        }
    }

    @Test("An injected fault ignores the checksum of a day's total")
    func ignoredChecksumOfTotal() async throws {
        for point in [nil, .ignoresChecksums] as [InjectionPoint?] {
            let opened = try injectedStore(point)
            try await opened.put(Reading(1, at: TestStore.start))
            try await opened.store.flip("readings.perDay", byte: 8)
            let row = try opened.store.rawEntries("readings.perDay")[0]
            let table = try opened.store.checksummedTable("readings.perDay")
            func total() throws -> Int {
                try RollUpRow.total(of: row.key.span.bytes, checksummed: row.value.span.bytes, in: table)
            }
            if point == nil {
                #expect(throws: RecordsError.self) { try total() }
            } else {
                #expect(try total() == 1)
            }
        }
    }

    @Test("An injected fault trims the change log to its last row, so that the second undo finds nothing")
    func trimmedLog() async throws {
        for point in [nil, .trimsLogTooEarly] as [InjectionPoint?] {
            let opened = try injectedStore(point)
            for number in 0..<3 as Range<UInt64> { try await opened.put(Reading(number)) }
            #expect(try opened.store.information().firstSequence == (point == nil ? 1 : 3))
            try await opened.store.write { _ = try $0.undo() }
            #expect(try opened.readings().count == 2)
            let second = await recordsError { try await opened.store.write { _ = try $0.undo() } }
            #expect(second == (point == nil ? nil : .nothingToUndo))
        }
    }

    @Test("No fault injection point is armed by default, and armed ones reach the environment")
    func handedDown() throws {
        #expect(StoreOptions().injectionPoint == ArmedInjectionPoints())
        #expect(EnvironmentConfiguration().injectionPoint == ArmedInjectionPoints())
        for point in [.neverFlushes, .ignoresChecksums, .trimsLogTooEarly] as [InjectionPoint] {
            let opened = try injectedStore(point)
            #expect(opened.store.environment.configuration.injectionPoint == ArmedInjectionPoints(point))
        }
    }
}
