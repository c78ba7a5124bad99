import KeyValue

/// What the sound indexes of a damaged store say about records whose own pages are lost: which there were, and what the last
/// version of each had in every indexed field.
struct IndexEvidence {
    /// An index, by its place among the survey's tables.
    struct Part {
        let table: Int
        let seed: UInt64
        let idWidth: Int
        /// Whether other collections have entries in it.
        let isShared: Bool
    }

    /// An entry of an index.
    struct Entry: Hashable {
        let seed: UInt64
        let key: KeyBytes
    }

    private let survey: PageSurvey
    private let parts: [Int: Part]
    private let entries: @Sendable (_ key: KeyBytes, _ value: [UInt8]) -> [Entry]?
    private var found: [KeyBytes: Set<Entry>] = [:]
    /// The records that only indexes know.
    private(set) var missingKeys: Set<KeyBytes> = []

    /// Nil when no index of the collection alone is whole.
    init?(
        in survey: PageSurvey, _ parts: [Part],
        entries: @escaping @Sendable (_ key: KeyBytes, _ value: [UInt8]) -> [Entry]?
    ) {
        guard parts.contains(where: { !$0.isShared }) else { return nil }
        self.survey = survey
        self.parts = Dictionary(parts.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.entries = entries
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
                        Checksum.hash(key: key, checksummed: checksummed, seed: part.seed) != nil
                    else { return }
                    let id = KeyBytes(copying: key.extracting((key.byteCount - part.idWidth)..<key.byteCount))
                    if keys.contains(id) {
                        found[id, default: []].insert(Entry(seed: part.seed, key: KeyBytes(copying: key)))
                    }
                    if !part.isShared, !known.contains(id) { missingKeys.insert(id) }
                }
            }
        }
    }

    /// Whether the indexes have exactly the entries of a version of a record.
    func agrees(with value: [UInt8], of key: KeyBytes) -> Bool {
        guard let expected = entries(key, value), !expected.isEmpty else { return false }
        let seeds = Dictionary(parts.values.map { ($0.seed, $0.isShared) }, uniquingKeysWith: { first, _ in first })
        let found = found[key] ?? []
        // Entries of indexes that are damaged themselves say nothing, and those that others share may be of another record.
        let own = Set(expected.filter { seeds[$0.seed] == false })
        return !own.isEmpty && own == found.filter { seeds[$0.seed] == false }
            && expected.allSatisfy { seeds[$0.seed] == nil || found.contains($0) }
    }
}

extension StoreLoader {
    /// What the indexes of a collection say, as far as they are whole.
    func evidence(in survey: PageSurvey, of collection: String) -> IndexEvidence? {
        guard let bound = bound(collection) else { return nil }
        let places = Dictionary(
            survey.tables.enumerated().filter(\.element.isWhole).map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        let parts = bound.derivedTables.filter { $0.kind == .index }.compactMap { derived in
            places[derived.table.name].map {
                IndexEvidence.Part(
                    table: $0, seed: Checksum.seed(ofTable: derived.table.name), idWidth: derived.part.idWidth,
                    isShared: derived.part.isShared)
            }
        }
        return IndexEvidence(in: survey, parts) { key, value in bound.indexEntries(of: key, value) }
    }
}

extension BoundCollection {
    func indexEntries(of key: KeyBytes, _ value: [UInt8]) -> [IndexEvidence.Entry]? {
        guard let record = unsafe validRecord(key.bytes, value.span.bytes) else { return nil }
        var entries: [IndexEvidence.Entry] = []
        for (index, indexKey) in zip(indexes, keys(of: record)) {
            guard var entry = indexKey else { continue }
            entry.append(contentsOf: key)
            entries.append(IndexEvidence.Entry(seed: Checksum.seed(ofTable: index.table.name), key: entry))
        }
        for (index, keys) in zip(multiIndexes, multiEntries(of: record, key)) {
            let seed = Checksum.seed(ofTable: index.table.name)
            entries += keys.map { IndexEvidence.Entry(seed: seed, key: $0) }
        }
        return entries
    }

    func accepts(_ key: RawSpan, _ value: [UInt8]) -> Bool { unsafe validRecord(key, value.span.bytes) != nil }
}
