import KeyValue

/// What the intact indexes of a damaged store say about records whose own pages are lost: which there were, and what the last
/// version of each had in every indexed field.
struct IndexEvidence {
    /// An index, or its pending list, by its place among the survey's tables.
    struct Part {
        let table: Int
        /// The seed of the index.
        let seed: UInt64
        /// The seed of the pending list; nil for the index itself.
        var pendingSeed: UInt64?
        let idWidth: Int
    }

    /// Entries of a record in indexes: their number and the sum of their hashes, since a store has millions.
    struct Entries: Equatable {
        private(set) var count = 0
        private(set) var sum: UInt64 = 0

        mutating func add(_ key: RawSpan, in seed: UInt64) {
            count += 1
            sum &+= XXHash64.hash(key, seed: seed)
        }
    }

    private let survey: PageSurvey
    private let parts: [Int: Part]
    private let collection: any StoredCollection
    private let seeds: Set<UInt64>
    private var found: [KeyBytes: Entries] = [:]
    /// The records that only indexes know.
    private(set) var missingKeys: Set<KeyBytes> = []

    /// Nil when no index is whole that is of the collection alone. One that others share has entries of other records.
    init?(in survey: PageSurvey, _ parts: [Part], of collection: any StoredCollection) {
        guard !parts.isEmpty else { return nil }
        self.survey = survey
        seeds = Set(parts.map(\.seed))
        self.parts = Dictionary(parts.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.collection = collection
    }

    /// Reads the indexes.
    ///
    /// - Parameters:
    ///   - keys: the records that are in question.
    ///   - known: the records that are there.
    mutating func gather(for keys: Set<KeyBytes>, besides known: Set<KeyBytes>) {
        survey.forEachPage(wanting: { table in table.map { parts[$0] != nil } ?? false }) { page in
            guard let part = page.table.flatMap({ parts[$0] }) else { return }
            for number in 0..<page.count {
                page.withEntry(number) { key, checksummed in
                    guard part.idWidth...64 ~= key.byteCount,
                        Checksum.hash(key: key, checksummed: checksummed, seed: part.pendingSeed ?? part.seed) != nil
                    else { return }
                    let id = KeyBytes(copying: key.extracting((key.byteCount - part.idWidth)..<key.byteCount))
                    if keys.contains(id) { add(key, checksummed, of: id, in: part) }
                    if !known.contains(id) { missingKeys.insert(id) }
                }
            }
        }
    }

    private mutating func add(_ key: RawSpan, _ checksummed: RawSpan, of id: KeyBytes, in part: Part) {
        guard part.pendingSeed != nil else {
            found[id, default: Entries()].add(key, in: part.seed)
            return
        }
        let row = checksummed.extracting(first: checksummed.byteCount - Checksum.byteCount)
        _ = PendingListRow.forEachEntry(row, of: key) { found[id, default: Entries()].add($0.bytes, in: part.seed) }
    }

    /// Whether the indexes have exactly the entries of a version of a record; nil when it has none in them, so that they say nothing.
    func agrees(with value: [UInt8], of key: KeyBytes) -> Bool? {
        guard let expected = collection.indexEntries(of: key, value, in: seeds) else { return false }
        let found = found[key] ?? Entries()
        return expected.count == 0 && found.count == 0 ? nil : found == expected
    }
}

extension StoreLoader {
    /// What the indexes of a collection say, as far as they are whole.
    func evidence(in survey: PageSurvey, of collection: String) -> IndexEvidence? {
        guard let bound = bound(collection) else { return nil }
        let places = Dictionary(
            survey.tables.enumerated().filter(\.element.isWhole).map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        let whole = bound.derivedTables.filter { $0.kind == .index && !$0.part.isShared }.flatMap { derived in
            parts(of: derived.part, in: survey, places)
        }
        return IndexEvidence(in: survey, whole, of: bound)
    }

    /// An index that is whole, and its pending list: without that it lacks entries that it should have.
    private func parts(of index: BoundPart, in survey: PageSurvey, _ places: [String: Int]) -> [IndexEvidence.Part] {
        let (name, pendingList) = (index.table.name, PendingListRow.tableName(of: index.table.name))
        guard let place = places[name] else { return [] }
        let part = IndexEvidence.Part(table: place, seed: Checksum.seed(ofTable: name), idWidth: index.idWidth)
        // A store that an older program has written last has no such table.
        guard index.hasPendingList, survey.tables.contains(where: { $0.name == pendingList }) else { return [part] }
        guard let pending = places[pendingList] else { return [] }
        let rows = IndexEvidence.Part(
            table: pending, seed: part.seed, pendingSeed: Checksum.seed(ofTable: pendingList), idWidth: index.idWidth)
        return [part, rows]
    }
}

extension BoundCollection {
    func indexEntries(of key: KeyBytes, _ value: [UInt8], in seeds: Set<UInt64>) -> IndexEvidence.Entries? {
        guard let record = unsafe validRecord(key.bytes, value.span.bytes) else { return nil }
        var entries = IndexEvidence.Entries()
        let tableSeeds = derivedTables.map { Checksum.seed(ofTable: $0.table.name) }
        forEachContribution(of: record, key, where: { seeds.contains(tableSeeds[$0]) }) { place, contribution in
            switch contribution {
            case .entry(let entry): entries.add(entry.bytes, in: tableSeeds[place])
            case .entries(let found): for entry in found { entries.add(entry.bytes, in: tableSeeds[place]) }
            case .instant, .share: break
            }
        }
        return entries
    }

    func accepts(_ key: RawSpan, _ value: [UInt8]) -> Bool { unsafe validRecord(key, value.span.bytes) != nil }
}
