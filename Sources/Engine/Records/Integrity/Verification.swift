import KeyValue

extension RecordStore {
    /// Reads everything and compares everything with everything: each record with its checksum, its index entries and
    /// its invariants, each index with the records, each roll-up with a recount, each row of the change log with those after
    /// it and with the records, every table's order with what a search finds in it, and the slots and records of the commit log.
    ///
    /// Changes nothing. Cost: a step for every entry of the store and a search for every record, in one read
    /// transaction.
    public func verify() throws(RecordsError) -> VerificationReport {
        try rethrowing { try verify { _ in } }
    }

    /// Verifies as `verify()` does.
    ///
    /// - Parameter progress: Called with the number of records so far. An error that it throws ends the verification, and is thrown.
    package func verify(progress: (_ records: Int) throws -> Void) throws -> VerificationReport {
        try withoutActuallyEscaping(progress) { progress in
            var audit = Audit(of: schema)
            audit.progress = progress
            defer { audit.progress = nil }
            do {
                try read { transaction in
                    try transaction.withEngine { engine in
                        try verifyRecords(into: &audit, in: engine)
                        try verifyChanges(into: &audit, in: engine)
                        try ConsumerRegistry(schema: schema).verify(into: &audit, in: engine)
                    }
                }
            } catch RecordsError.engine(.damaged(_, let detail)) {
                // LMDB gives the transaction up at such a page. What was found before it counts.
                audit.problem("data.mdb: \(detail), so the rest was not read")
            }
            // What is wrong with LMDB's own pages may not show in any record, and later writes would make it worse.
            for problem in try environment.pageProblems().all { audit.problem(problem) }
            if let problem = try environment.commitLogProblem() { audit.problem(problem) }
            return audit.report
        }
    }

    /// Everything but the change log.
    func verifyRecords(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        for collection in schema.collections { try collection.audit(into: &audit, in: engine) }
        try compareCounts(into: &audit, in: engine)
        var checked: Set<String> = []
        for derived in schema.collections.flatMap(\.derivedTables) where checked.insert(derived.table.name).inserted {
            switch derived.kind {
            case .index:
                for table in derived.tables { try verifyIndex(derived.part, table, into: &audit, in: engine) }
            case .rollUp: try verifyRollUp(derived.table, into: &audit, in: engine)
            case .tally: try verifyTally(derived.table, into: &audit, in: engine)
            }
        }
        try verifyMeta(into: &audit, in: engine)
        if let quarantine = schema.quarantine { try verifyChecksums(of: quarantine.table, into: &audit, in: engine) }
    }

    /// The entries of records were looked for one by one already, so what is too many belongs to none.
    private func verifyIndex(
        _ index: BoundPart, _ table: ChecksummedTable, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws {
        var previous: KeyBytes?
        let walked = try table.walk(searching: false, in: engine) { key, _, state in
            audit.note(state, of: "entry \(table.shown(key)) of \(table.name)")
            guard index.isUnique, key.byteCount >= index.idWidth else { return }
            let unique = KeyBytes(copying: key.extracting(first: key.byteCount - index.idWidth))
            if unique == previous {
                audit.problem("\(table.name): two records have the key of entry \(table.shown(key))")
            }
            previous = unique
        }
        let expected = audit.expectedEntries[table.name] ?? 0
        if walked > expected { audit.problem("\(table.name): \(walked - expected) entries belong to no record") }
        try audit.compare(walked: walked, in: table, engine)
    }

    private func verifyRollUp(
        _ table: ChecksummedTable, into audit: inout Audit, in engine: borrowing RawReadTransaction
    ) throws {
        var missing = audit.expectedCounts.rollUps[table.name] ?? [:]
        let walked = try table.walk(searching: true, in: engine) { key, checksummed, state in
            guard state.hasValidChecksum else {
                // With a damaged key the day is not known, and is missed below.
                return audit.note(state, of: "entry \(table.shown(key)) of \(table.name)")
            }
            var decoder = KeyDecoder(key)
            let day = try Int32(decoding: &decoder)
            audit.note(state, of: "\(table.name), day \(day)")
            let expected = missing.removeValue(forKey: day) ?? RollUpRow()
            let isRight = try table.open(key: key, checksummed: checksummed) { value, _ in
                RollUpRow(decoding: value) == expected && RollUpRow.isTotalRight(in: value)
            }
            if !isRight { audit.problem("\(table.name), day \(day): the count is not that of the records") }
        }
        for day in missing.keys.sorted() { audit.problem("\(table.name), day \(day): the count is missing") }
        try audit.compare(walked: walked, in: table, engine)
    }

    private func verifyTally(
        _ table: ChecksummedTable, into audit: inout Audit, in engine: borrowing RawReadTransaction
    ) throws {
        var missing = (audit.expectedCounts.tallies[table.name] ?? [:]).filter { !$0.value.isZero }
        let walked = try table.walk(searching: true, in: engine) { key, checksummed, state in
            let name = "\(table.name), key \(table.shown(key))"
            audit.note(state, of: name)
            let expected = missing.removeValue(forKey: KeyBytes(copying: key))
            guard state.hasValidChecksum else { return }
            let isRight = try table.open(key: key, checksummed: checksummed) { value, _ in TallyValue(value) == expected
            }
            if !isRight { audit.problem("\(name): the count is not that of the records") }
        }
        for key in missing.keys.sorted(by: { $0.bytes.precedes($1.bytes) }) {
            audit.problem("\(table.name), key \(table.shown(key.bytes)): the count is missing")
        }
        try audit.compare(walked: walked, in: table, engine)
    }

    private func compareCounts(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
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
            } catch RecordsError.damagedEntry {
                audit.problem("\(collection.name): the count is damaged")
            }
        }
    }

    /// The versions that the store remembers; the counts of known collections were compared already.
    private func verifyMeta(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        let compared = schema.collections.map { Meta.countKey($0.number) }
        try verifyChecksums(of: schema.meta, except: compared, into: &audit, in: engine)
        if try !engine.contains(Meta.schemaKey.bytes, in: schema.meta.table) {
            audit.problem("\(schema.meta.name): the version of the schema is missing")
        }
    }

    private func verifyChecksums(
        of table: ChecksummedTable, except known: [KeyBytes] = [], into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws {
        let walked = try table.walk(searching: true, in: engine) { key, _, state in
            if !state.hasValidChecksum, known.contains(where: { $0.bytes.isEqual(to: key) }) { return }
            audit.note(state, of: "entry \(table.shown(key)) of \(table.name)")
        }
        try audit.compare(walked: walked, in: table, engine)
    }

    private func verifyChanges(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        let table = schema.changes
        var trails = RecordTrails()
        let walked = try ChangeLog(schema: schema).survey(withBytes: false, in: engine) { finding in
            switch finding {
            case .row(let sequence, let row, _):
                audit.report.changes += 1
                trails.follow(row.entries, of: sequence)
            case .damaged(let key):
                trails.forget()
                audit.problem("change \(key): damaged")
            case .misplaced(let sequence):
                trails.forget()
                audit.problem("change \(sequence): a search does not find it")
            case .missing(let range):
                trails.forget()
                audit.problem(
                    range.count == 1
                        ? "change \(range.lowerBound): missing"
                        : "changes \(range.lowerBound) to \(range.upperBound): missing")
            }
        }
        try trails.compareWithRecords(of: schema, in: engine)
        for sequence in trails.contradicted.sorted() {
            audit.problem("change \(sequence): a record is not as this change left it")
        }
        // The last rows always stay, so a store in which something tracked was ever written has one.
        let hasTracked = schema.collections.contains {
            $0.isTracked && audit.recounts[$0.number, default: .none].count > 0
        }
        if walked == 0, hasTracked {
            audit.problem("\(table.name): no change is left of what was written")
        }
        try audit.compare(walked: walked, in: table, engine)
    }
}

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

    /// Adds a finding of a layer above; its line must not contain any of a record's content.
    public mutating func add(_ problem: String) {
        problems.append(problem)
    }

    /// Whether nothing is wrong.
    public var isClean: Bool { problems.isEmpty }
}
