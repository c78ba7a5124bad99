import KeyValue

/// Collects the expected contents of the derived tables from the records, then compares.
struct Audit {
    var report = VerificationReport()
    /// Called with the number of records so far, now and then; what it throws ends the work.
    var progress: ((_ records: Int) throws -> Void)?
    /// Whether the records' own invariants are checked.
    let checksInvariants: Bool
    /// How many entries of each index belong to a record: of several collections if they share it.
    private(set) var expectedEntries: [String: Int] = [:]
    /// The expected rows of the roll-ups and tallies.
    var expectedCounts = DerivedCounts()
    /// The count and digest of the records that were read, by collection number.
    private(set) var recounts: [UInt32: RecordCount] = [:]
    /// The number of problems that are listed: a torn page causes thousands.
    static let limit = 100

    /// The tables of the records, by the number of their collection.
    let tables: [UInt32: Table]

    init(of schema: BoundSchema, checksInvariants: Bool = true) {
        tables = Dictionary(uniqueKeysWithValues: schema.collections.map { ($0.number, $0.recordsTable.table) })
        self.checksInvariants = checksInvariants
    }

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

    mutating func foundEntry(in table: String, isValid: Bool) {
        expectedEntries[table, default: 0] += 1
        if isValid { report.indexEntries += 1 }
    }

    mutating func foundRow(in table: String, entries: Int) {
        expectedEntries[table, default: 0] += 1
        report.indexEntries += entries
    }

    /// Records the findings about one entry; `name` describes it for people.
    mutating func note(_ state: EntryState, of name: @autoclosure () -> String) {
        if !state.hasValidChecksum {
            problem("\(name()): damaged")
        } else if !state.isInOrder {
            problem("\(name()): out of order")
        } else if !state.isFound {
            problem("\(name()): a search does not find it")
        }
    }

    /// LMDB keeps the number of entries in the table's head; a missing page does not change it.
    mutating func compare(walked: Int, in table: ChecksummedTable, _ engine: borrowing RawReadTransaction) throws {
        let counted = try engine.entryCount(of: table.table)
        if counted != walked { problem("\(table.name): \(walked) entries are there, its head counts \(counted)") }
    }
}

extension BoundCollection {
    func audit(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        var count = RecordCount()
        let walked = try records.walk(searching: true, in: engine) { key, checksummed, state in
            if let hash = try self.audit(key, checksummed, state, into: &audit, in: engine) {
                count += RecordCount(count: 1, digest: hash)
            }
        }
        try audit.compare(walked: walked, in: records, engine)
        audit.found(count, in: number)
    }

    @discardableResult
    func audit(
        _ keySpan: RawSpan, _ checksummed: RawSpan, _ state: EntryState, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws -> UInt64? {
        let key = KeyBytes(copying: keySpan)
        // Built only when something is wrong: a string for each record would be a third of the work.
        var name: String { "record \(key.hexadecimal) of \(self.name)" }
        audit.note(state, of: name)
        guard state.hasValidChecksum else { return nil }
        var hash: UInt64?
        do {
            let record = try records.open(key: keySpan, checksummed: checksummed) { value, valueHash in
                let record = try decode(keySpan, value)
                hash = valueHash
                return record
            }
            try self.audit(record, key, name, into: &audit, in: engine)
        } catch let error as RecordsError where error.isDamage {
            audit.problem("\(name): damaged")
        }
        return hash
    }

    private func audit(
        _ record: R, _ key: KeyBytes, _ name: @autoclosure () -> String, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws {
        audit.report.records += 1
        if audit.report.records % 1024 == 0 { try audit.progress?(audit.report.records) }
        if audit.checksInvariants {
            for broken in record.brokenInvariants { audit.problem("\(name()): \(broken)") }
        }
        try forEachContribution(of: record, key) { place, contribution in
            let part = derivedTables[place].part
            switch contribution {
            case .entry(let entry): try self.audit(entry, of: part, name(), into: &audit, in: engine)
            case .entries(let entries):
                if try auditPending(entries, of: key, part, name(), into: &audit, in: engine) { return }
                for entry in entries { try self.audit(entry, of: part, name(), into: &audit, in: engine) }
            case .instant(let instant): audit.expectedCounts.add(instant, in: part.table.name)
            case .share(let share): audit.expectedCounts.add(share, in: part.table.name)
            }
        }
        if audit.checksInvariants {
            for reference in references {
                guard let target = indexKeys[reference.position](record), let table = audit.tables[reference.target],
                    try !engine.contains(target.bytes, in: table)
                else { continue }
                audit.problem("\(name()): names a record of \(reference.rule.target()) that does not exist")
            }
        }
    }

    /// Looks for the entries of a record in the pending list; false when it has no row of them.
    private func auditPending(
        _ entries: [KeyBytes], of key: KeyBytes, _ index: BoundPart, _ name: @autoclosure () -> String,
        into audit: inout Audit, in engine: borrowing RawReadTransaction
    ) throws -> Bool {
        guard let pendingList = index.pendingList else { return false }
        do {
            guard let row = try index.pendingRow(of: key, in: engine) else { return false }
            if row != PendingListRow.encode(entries, idWidth: index.idWidth) {
                audit.problem("\(name()): has other keys in \(pendingList.name)")
            }
            audit.foundRow(in: pendingList.name, entries: entries.count)
        } catch RecordsError.damagedEntry {
            // Reported when the rows themselves are walked.
            audit.foundRow(in: pendingList.name, entries: 0)
        }
        return true
    }

    private func audit(
        _ entry: KeyBytes, of index: BoundPart, _ name: @autoclosure () -> String, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws {
        do {
            if try index.table.get(entry, in: engine, { _, _ in true }) != nil {
                audit.foundEntry(in: index.table.name, isValid: true)
            } else {
                audit.problem("\(name()): not in \(index.table.name)")
            }
        } catch RecordsError.damagedEntry {
            // Reported when the index itself is walked.
            audit.foundEntry(in: index.table.name, isValid: false)
        }
    }
}
