import CivilTime
import KeyValue

/// Checks a store a portion at a time: each entry's checksum and place, each record's entries in the indexes, that each such entry
/// names a record, and at the end LMDB's own pages.
///
/// Between two portions others write, so that nothing is counted: what only a count shows is left to `verify`.
struct Scrub {
    private enum Content {
        case records(any StoredCollection)
        /// With the collections that have entries in it.
        case index(BoundPart, [any StoredCollection])
        case other
    }

    private let store: RecordStore
    /// In the order of their names, which no version of a program changes.
    private let tables: [(table: ChecksummedTable, content: Content)]
    private let pace: BackgroundPace
    private(set) var report = ScrubReport()

    init(_ store: RecordStore) throws {
        self.store = store
        tables = Self.tables(of: store.schema)
        pace = BackgroundPace(in: store)
        report.progress = try store.storedScrubProgress()
    }

    private static func tables(of schema: BoundSchema) -> [(table: ChecksummedTable, content: Content)] {
        var tables: [String: (table: ChecksummedTable, content: Content)] = [:]
        for table in [schema.meta, schema.changes] + [schema.quarantine?.table].compactMap(\.self) {
            tables[table.name] = (table, .other)
        }
        for collection in schema.collections {
            tables[collection.recordsTable.name] = (collection.recordsTable, .records(collection))
            for derived in collection.derivedTables {
                var owners = [collection]
                if case .index(_, let others) = tables[derived.table.name]?.content { owners += others }
                let isIndex = derived.kind == .index
                tables[derived.table.name] = (derived.table, isIndex ? .index(derived.part, owners) : .other)
                if let pendingList = derived.part.pendingList {
                    tables[pendingList.name] = (pendingList, .index(derived.part, [collection]))
                }
            }
        }
        return tables.values.sorted { $0.table.name < $1.table.name }
    }

    /// Checks entries of one table until some bytes were read, or its end is reached.
    mutating func advance(byBytes limit: Int) throws {
        if !report.progress.isUnderWay {
            let last = report.progress.endedAt
            report.progress = ScrubProgress()
            (report.progress.beganAt, report.progress.endedAt) = (store.context.clock.wall, last)
        }
        var audit = Audit(of: store.schema)
        let position = report.progress.position
        // A table that is gone, or one that is new, is only another place to go on.
        guard let place = tables.firstIndex(where: { position.map { $0.table } ?? "" <= $0.table.name }) else {
            return try end(&audit)
        }
        let name = tables[place].table.name
        let key = position?.table == name ? position?.key : nil
        var isAtEnd = true
        do {
            isAtEnd = try check(tables[place], after: key, byteLimit: limit, into: &audit)
        } catch RecordsError.engine(.damaged(_, let detail)) {
            // What is behind this page cannot be reached in this table.
            audit.problem("\(name): \(detail), so the rest was not read")
        }
        if isAtEnd {
            report.progress.position = nil
            if place + 1 < tables.count {
                report.progress.position = .init(table: tables[place + 1].table.name)
            } else {
                return try end(&audit)
            }
        }
        note(audit)
    }

    private mutating func end(_ audit: inout Audit) throws {
        for problem in try store.environment.pageProblems(pausing: pace.step).all { audit.problem(problem) }
        report.progress.position = nil
        report.progress.endedAt = store.context.clock.wall
        note(audit)
    }

    private mutating func note(_ audit: Audit) {
        report.progress.problems += audit.report.problems.count
        report.problems += audit.report.problems.prefix(max(0, Audit.limit - report.problems.count))
    }

    private mutating func check(
        _ part: (table: ChecksummedTable, content: Content), after key: KeyBytes?, byteLimit: Int,
        into audit: inout Audit
    ) throws -> Bool {
        let table = part.table
        var last = key
        var entries = 0
        var read = 0
        var found = audit
        let isAtEnd = try store.read { transaction in
            try transaction.withEngine { engine in
                try table.walk(after: key, searching: true, in: engine) { key, checksummed, state in
                    switch part.content {
                    case .records(let collection):
                        try collection.audit(key, checksummed, state, into: &found, in: engine)
                    case .index(let index, let owners):
                        found.note(state, of: "entry \(table.shown(key)) of \(table.name)")
                        if state.isValid, try !Self.isOwned(key, of: index, by: owners, in: engine) {
                            found.problem("entry \(table.shown(key)) of \(table.name): belongs to no record")
                        }
                    case .other:
                        found.note(state, of: "entry \(table.shown(key)) of \(table.name)")
                    }
                    pace.step()
                    entries += 1
                    read += key.byteCount + checksummed.byteCount
                    // Never back: where the order is damaged, the next portion would read the same again.
                    if 1...64 ~= key.byteCount, last.map({ $0.bytes.precedes(key) }) ?? true {
                        last = KeyBytes(copying: key)
                    }
                    return read < byteLimit
                }
            }
        }
        audit = found
        report.bytes += read
        report.progress.entries += entries
        report.progress.position = .init(table: table.name, key: last)
        return isAtEnd
    }

    /// Whether an entry names a record. Whether that record has such an entry costs ten times as much, and an index that has
    /// entries of former versions lacks those of the last ones, which is found from the records.
    private static func isOwned(
        _ entry: RawSpan, of index: BoundPart, by owners: [any StoredCollection],
        in engine: borrowing RawReadTransaction
    ) throws -> Bool {
        guard entry.byteCount >= index.idWidth else { return false }
        let key = entry.extracting(last: index.idWidth)
        for owner in owners where try engine.contains(key, in: owner.recordsTable.table) { return true }
        return false
    }
}

extension RecordStore {
    /// How fast a scrub reads if nothing else is asked for, in bytes a second.
    public static let scrubRate = 64 << 10

    /// How far the scrub of the store has come.
    package func scrubProgress() throws(RecordsError) -> ScrubProgress {
        do { return try storedScrubProgress() } catch { throw RecordsError(error) }
    }

    /// Reads the note of it; one that is damaged or unknown counts as none.
    func storedScrubProgress() throws -> ScrubProgress {
        do {
            return try read { transaction in
                try transaction.withEngine { engine in
                    try schema.meta.get(Meta.scrubKey, in: engine) { value, _ in ScrubProgress(decoding: value) }
                }
            }.flatMap(\.self) ?? ScrubProgress()
        } catch let error as RecordsError where error.isDamage {
            return ScrubProgress()
        }
    }

    /// Checks the next portion of the store, and notes how far it came.
    ///
    /// It checks each entry's checksum and place, each record's entries in the indexes, and that each such entry names a record; at the end of
    /// a pass LMDB's own pages. What only a count shows is left to ``verify()``. When something is wrong, the change log gets
    /// a change of origin `scrub` without any record, so that change feeds notice.
    ///
    /// - Parameter bytes: about how many bytes of entries are read.
    /// - Complexity: reads of the records and indexes of what is checked; one commit.
    @discardableResult
    public func scrub(bytes: Int) throws(RecordsError) -> ScrubReport {
        try rethrowing {
            guard !isReadOnly else { throw RecordsError.engine(.readOnly) }
            var scrub = try Scrub(self)
            repeat {
                try scrub.advance(byBytes: bytes - scrub.report.bytes)
            } while scrub.report.bytes < bytes && !scrub.report.isAtEnd
            try note(scrub.report, news: !scrub.report.problems.isEmpty)
            return scrub.report
        }
    }

    /// Checks the store in the background, from where the last scrub stopped to the end, a little at a time.
    ///
    /// It notes how far it came once a minute, when it finds something, when it is cancelled, and at the end. See
    /// ``scrub(bytes:)`` for what is checked.
    ///
    /// - Parameter rate: how many bytes of entries are read in a second, on average.
    /// - Throws: `CancellationError` when the task is cancelled, `RecordsError`.
    @discardableResult
    public func scrub(rate: Int = RecordStore.scrubRate) async throws -> ScrubReport {
        guard !isReadOnly else { throw RecordsError.engine(.readOnly) }
        var scrub = try Scrub(self)
        let clock = context.clock
        var notedAt = clock.monotonic
        var reported = 0
        // Ten portions a second: none keeps its read transaction for long, and none is much of a core at once.
        let portion = max(rate / 10, 4096)
        repeat {
            let start = clock.monotonic
            let before = scrub.report.bytes
            try scrub.advance(byBytes: portion)
            let hasNewProblems = scrub.report.problems.count > reported
            if hasNewProblems || clock.monotonic.microseconds(since: notedAt) >= 60_000_000 {
                try note(scrub.report, news: hasNewProblems)
                reported = scrub.report.problems.count
                notedAt = clock.monotonic
            }
            if scrub.report.isAtEnd { break }
            let pause = Int64(scrub.report.bytes - before) * 1_000_000 / Int64(max(rate, 1))
            do {
                try await clock.sleep(until: start.advanced(byMicroseconds: pause))
            } catch {
                try note(scrub.report, news: false)
                throw error
            }
        } while true
        try note(scrub.report, news: false)
        return scrub.report
    }

    private func note(_ report: ScrubReport, news: Bool) throws {
        do {
            try write(ChangeLabel(operation: "store.scrub", origin: .scrub)) { transaction in
                transaction.hasNewProblems = news
                try transaction.withWriter { _ = try schema.meta.put(Meta.scrubKey, report.progress.encoded, in: $0) }
            }
        } catch let error as RecordsError where error.isDamage && !report.problems.isEmpty {
            // A store that is too damaged to write to: who asked gets the problems all the same.
        }
    }
}
