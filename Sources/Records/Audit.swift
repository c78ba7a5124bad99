import CivilTime
import KeyValue

/// What `verify` found.
public struct VerificationReport: Sendable, Equatable {
    /// Records that were read.
    public internal(set) var records = 0
    /// Index entries that were found to belong to a record.
    public internal(set) var indexEntries = 0
    /// Rows of the change log that were read.
    public internal(set) var changes = 0
    /// What is wrong, one line each, without any content of a record.
    public internal(set) var problems: [String] = []

    /// Adds what a layer above found; its line must hold nothing of a record's content.
    public mutating func add(_ problem: String) {
        problems.append(problem)
    }

    /// Whether nothing is wrong.
    public var isClean: Bool { problems.isEmpty }
}

/// Gathers what the records say that the derived tables must hold, then compares.
struct Audit {
    var report = VerificationReport()
    /// How many entries of each index belong to a record: of several collections if they share it.
    private(set) var expectedEntries: [String: Int] = [:]
    /// What each roll-up must hold.
    private(set) var expectedRows: [String: [Int32: RollUpRow]] = [:]
    /// The count and digest of the records that were read, by collection number.
    private(set) var recounts: [UInt32: RecordCount] = [:]
    /// After so many problems of one kind the rest is counted only: a torn page makes thousands.
    private static let limit = 100

    mutating func problem(_ text: String) {
        if report.problems.count < Self.limit {
            report.problems.append(text)
        } else if report.problems.count == Self.limit {
            report.problems.append("more than \(Self.limit) problems; the rest is not listed")
        }
    }

    mutating func found(_ count: RecordCount, in collection: UInt32) {
        recounts[collection] = count
    }

    mutating func foundEntry(in table: String, isSound: Bool) {
        expectedEntries[table, default: 0] += 1
        if isSound { report.indexEntries += 1 }
    }

    mutating func expect(_ instant: Instant, in table: String) {
        let (day, quarter) = RollUpRow.cell(of: instant)
        _ = expectedRows[table, default: [:]][day, default: RollUpRow()].add(1, toQuarter: quarter)
    }
}

extension BoundCollection {
    func audit(into audit: inout Audit, in engine: borrowing KeyValue.ReadTransaction) throws {
        var count = RecordCount()
        var found: [(key: KeyBytes, record: R)] = []
        try engine.withCursor(over: records.table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                try cursor.withEntry { keySpan, sealed in
                    let key = KeyBytes(copying: keySpan)
                    do {
                        let record = try records.open(key: keySpan, sealed: sealed) { value, hash in
                            count += RecordCount(count: 1, digest: hash)
                            return try decode(keySpan, value)
                        }
                        found.append((key, record))
                    } catch is RecordsError {
                        audit.problem("record \(key.hexadecimal) of \(name): damaged")
                    }
                }
                if found.count == 1024 {
                    try self.audit(&found, into: &audit, in: engine)
                }
                isOnEntry = try cursor.moveToNext()
            }
        }
        try self.audit(&found, into: &audit, in: engine)
        audit.found(count, in: number)
    }

    private func audit(
        _ found: inout [(key: KeyBytes, record: R)], into audit: inout Audit,
        in engine: borrowing KeyValue.ReadTransaction
    ) throws {
        for (key, record) in found {
            audit.report.records += 1
            for broken in record.brokenInvariants {
                audit.problem("record \(key.hexadecimal) of \(name): \(broken)")
            }
            for index in indexes {
                guard var entry = index.key(record) else { continue }
                entry.append(contentsOf: key)
                do {
                    if try index.table.get(entry, in: engine, { _, _ in true }) != nil {
                        audit.foundEntry(in: index.table.name, isSound: true)
                    } else {
                        audit.problem("record \(key.hexadecimal) of \(name): not in \(index.table.name)")
                    }
                } catch is RecordsError {
                    audit.foundEntry(in: index.table.name, isSound: false)
                    audit.problem("entry \(entry.hexadecimal) of \(index.table.name): damaged")
                }
            }
            for rollUp in rollUps {
                if let instant = rollUp.instant(record) { audit.expect(instant, in: rollUp.table.name) }
            }
        }
        found.removeAll(keepingCapacity: true)
    }
}

extension Store {
    /// Reads everything and compares everything with everything: each record with its checksum, its index entries and
    /// its invariants, each index with the records, each roll-up with a recount, each row of the change log.
    ///
    /// Changes nothing. Cost: a step for every entry of the store, in one read transaction.
    public func verify() throws(RecordsError) -> VerificationReport {
        try rethrowing { try read { try $0.withEngine { try verify(in: $0) } } }
    }

    private func verify(in engine: borrowing KeyValue.ReadTransaction) throws -> VerificationReport {
        var audit = Audit()
        for collection in schema.collections { try collection.audit(into: &audit, in: engine) }
        try compareCounts(into: &audit, in: engine)
        var checked: Set<String> = []
        for (table, _) in schema.collections.flatMap(\.derivedTables) where checked.insert(table.name).inserted {
            if let rows = audit.expectedRows[table.name] {
                try compare(table, with: rows, into: &audit, in: engine)
            } else {
                let count = try engine.entryCount(of: table.table)
                let expected = audit.expectedEntries[table.name] ?? 0
                // Every record's entry was looked for above, so what is too many belongs to none.
                if count > expected {
                    audit.problem("\(table.name): \(count - expected) entries belong to no record")
                }
            }
        }
        try verifyMeta(into: &audit, in: engine)
        try verifyChanges(into: &audit, in: engine)
        return audit.report
    }

    private func compare(
        _ table: SealedTable, with expected: [Int32: RollUpRow], into audit: inout Audit,
        in engine: borrowing KeyValue.ReadTransaction
    ) throws {
        for (day, row) in expected.sorted(by: { $0.key < $1.key }) {
            do {
                let stored = try table.get(day.keyBytes, in: engine) { value, _ in
                    RollUpRow(decoding: value) == row && RollUpRow.isTotalRight(in: value)
                }
                if stored != true { audit.problem("\(table.name), day \(day): the count is not that of the records") }
            } catch is RecordsError {
                audit.problem("\(table.name), day \(day): damaged")
            }
        }
        let count = try engine.entryCount(of: table.table)
        if count != expected.count {
            audit.problem("\(table.name): \(count) days are counted, \(expected.count) have records")
        }
    }

    private func compareCounts(into audit: inout Audit, in engine: borrowing KeyValue.ReadTransaction) throws {
        for collection in schema.collections {
            let recount = audit.recounts[collection.number] ?? .none
            do {
                let key = Meta.countKey(collection.number)
                let stored = try schema.meta.get(key, in: engine) { value, _ in RecordCount(value) } ?? .none
                guard stored != recount else { continue }
                audit.problem(
                    stored.count == recount.count
                        ? "\(collection.name): the digest is not that of the records"
                        : "\(collection.name): \(recount.count) records can be read, \(stored.count) are counted")
            } catch is RecordsError {
                audit.problem("\(collection.name): the count is damaged")
            }
        }
    }

    /// The versions that the store remembers; the counts among them were compared already.
    private func verifyMeta(into audit: inout Audit, in engine: borrowing KeyValue.ReadTransaction) throws {
        try engine.withCursor(over: schema.meta.table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                try cursor.withEntry { key, sealed in
                    guard !key.starts(with: Meta.countPrefix.bytes) else { return }
                    do {
                        try schema.meta.open(key: key, sealed: sealed) { _, _ in }
                    } catch is RecordsError {
                        audit.problem("entry \(KeyBytes(copying: key).hexadecimal) of \(schema.meta.name): damaged")
                    }
                }
                isOnEntry = try cursor.moveToNext()
            }
        }
    }

    private func verifyChanges(into audit: inout Audit, in engine: borrowing KeyValue.ReadTransaction) throws {
        let log = ChangeLog(schema: schema)
        let first = try log.firstSequence(in: engine)
        let last = try log.lastSequence(in: engine)
        guard last > 0 else { return }
        for sequence in first...last {
            do {
                if try log.row(sequence, in: engine) == nil {
                    audit.problem("change \(sequence): missing")
                } else {
                    audit.report.changes += 1
                }
            } catch is RecordsError {
                audit.problem("change \(sequence): damaged")
            }
        }
    }
}
