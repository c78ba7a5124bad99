import CivilTime
import KeyValue

extension StoreLoader {
    /// What a salvage brings into a new store besides the records.
    struct Carried {
        let notes: SalvagedNotes
        let quarantine: FoundEntries
        var log: SalvagedLog
        let source: EntrySource
        /// Damaged records as they were found, by their keys in the quarantine.
        var damaged: [KeyBytes: [UInt8]] = [:]
    }

    /// Takes over the notes, the quarantine and the change log of a damaged store when the loading ends.
    func carry(_ notes: SalvagedNotes, _ quarantine: FoundEntries, _ log: SalvagedLog, from source: EntrySource) {
        carried = Carried(notes: notes, quarantine: quarantine, log: log, source: source)
    }

    /// Notes a damaged record as it was found, for the quarantine.
    func quarantine(_ key: KeyBytes, _ found: [UInt8], of collection: String) {
        carried?.damaged[Quarantine.key(key, in: Checksum.collectionNumber(of: collection))] = found
    }

    /// Whether the count and the sum of the hashes of every collection are those that the damaged store had.
    var hasAllCarried: Bool {
        carried.map { $0.damaged.isEmpty && $0.notes.agree(with: loadedCounts) } ?? false
    }

    /// The count that the damaged store had of a collection; nil when that is lost.
    func notedCount(of collection: String) -> RecordCount? { carried?.notes.count(of: collection) }

    /// How many changes were taken over, and how many were not.
    var carriedChanges: (kept: Int, lost: Int) { (carried?.log.rows.count ?? 0, carried?.log.rowsLost ?? 0) }

    /// Whether bytes are a valid record of a collection. Those of one that the schema does not name are taken as they are.
    package func accepts(_ key: RawSpan, _ value: [UInt8], in collection: String) -> Bool {
        bound(collection)?.accepts(key, value) ?? true
    }

    func bound(_ collection: String) -> (any StoredCollection)? {
        schema.collection(number: Checksum.collectionNumber(of: collection))
    }

    /// Writes what is carried over. Returns whether the change log has rows then.
    func writeCarried() throws -> Bool {
        guard var carried else { return false }
        let lastRow = try draft.read { try carried.log.compare(with: schema, at: context.clock.wall, in: $0) }
        self.carried = carried
        try writeQuarantine(carried)
        for (sequence, item) in carried.log.rows {
            guard let value = carried.log.value(of: item, from: carried.source) else { continue }
            try fill(schema.changes, sequence.keyBytes, value)
        }
        if let lastRow { try fill(schema.changes, (carried.log.last + 1).keyBytes, lastRow.encoded) }
        try filler.flush()
        return !carried.log.rows.isEmpty
    }

    /// What was in quarantine, and the damaged records of which no other copy was taken.
    private func writeQuarantine(_ carried: Carried) throws {
        guard let quarantine = schema.quarantine else { return }
        var entries = carried.damaged
        carried.quarantine.forEachKey { items in
            let item = items[items.startIndex]
            guard item.isLive, let value = carried.source.value(of: item, in: carried.quarantine) else { return }
            entries[carried.quarantine.key(of: item)] = value
        }
        for (key, value) in entries.sorted(by: { $0.key.bytes.precedes($1.key.bytes) }) {
            try fill(quarantine.table, key, value)
        }
    }

    private func fill(_ table: ChecksummedTable, _ key: KeyBytes, _ value: [UInt8]) throws {
        let hash = unsafe table.hash(key: key.bytes, value: value.span.bytes)
        try unsafe filler.append(
            key.bytes, value.span.bytes, checksum: UInt32(truncatingIfNeeded: hash), to: table.table)
    }
}

extension RecordStore {
    /// Saves what a damaged store still holds into a new store, which has a new id. The damaged one is not changed.
    ///
    /// No tree of the file is trusted: every page is read, and every value whose checksum is right for its table and key is
    /// known. Indexes, roll-ups and tallies are derived anew. Nothing else may use either folder meanwhile.
    ///
    /// - Parameters:
    ///   - source: the folder of the damaged store; only its `data.mdb` is needed.
    ///   - path: the folder of the new store, which must not exist.
    /// - Complexity: reads the file about three times; some 60 bytes of memory for each record and for each former version.
    /// - Throws: `newerFormat` for a store of a newer version; `engine(.storeNotFound)` without a data file.
    package static func salvage(
        _ source: String, to path: String, schema: Schema, context: Context, options: SalvageOptions = SalvageOptions()
    ) throws(RecordsError) -> SalvageReport {
        try rethrowing {
            do {
                _ = try StoreManifest.check(at: source)
            } catch RecordsError.notAStore, RecordsError.manifestMissing {
                // Without `store.json`, or with a damaged one, the records show what it is.
            }
            var salvage = try Salvage(
                "\(source)/data.mdb", to: path, schema: schema, context: context, options: options)
            return try salvage.run()
        }
    }

    /// Whether every record of a store, its change log and its notes are intact, so that everything else can be derived from
    /// them. Nothing is mapped and nothing changed.
    ///
    /// - Complexity: reads the file three times.
    package static func hasIntactRecords(at path: String, schema: Schema) throws(RecordsError) -> Bool {
        try rethrowing {
            let survey = try PageSurvey.ofStore("\(path)/data.mdb", orderedBy: ChangeLog.tableName)
            let content = FoundContent(in: survey, of: schema)
            let notes = SalvagedNotes(content.meta, content.source)
            return survey.isFreeListWhole && content.isWhole
                && content.collections.allSatisfy { $0.isExpected(by: notes.count(of: $0.name)) }
        }
    }

    /// Whether every page of a store that is in use is there and valid, so that it can be opened without danger. Nothing is
    /// mapped.
    ///
    /// - Complexity: reads the file twice.
    package static func hasValidPages(at path: String) throws(RecordsError) -> Bool {
        try rethrowing {
            try PageSurvey.ofStore("\(path)/data.mdb", orderedBy: ChangeLog.tableName).isValid
        }
    }

    /// Whether a name in a store's folder is that of a file which a salvage writes anew.
    package static func isReplaced(_ name: String) -> Bool {
        Environment.isData(name) || name == StoreManifest.fileName
    }
}
