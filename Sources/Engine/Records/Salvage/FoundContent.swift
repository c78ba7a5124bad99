import KeyValue

/// Everything in a damaged file that has a valid checksum of a table that is stored, not derived.
struct FoundContent {
    let survey: PageSurvey
    private(set) var meta = FoundEntries(Meta.tableName)
    private(set) var changes = FoundEntries(ChangeLog.tableName)
    private(set) var quarantine = FoundEntries(Quarantine.tableName)
    /// The collections, those of the schema and others that the store has counted.
    private(set) var collections: [FoundEntries] = []
    private let schema: Schema
    /// Reads the entries again.
    let source: EntrySource

    /// Of how many entries a page has to show one that is of a table, before it is taken for one of none.
    private static let triesPerPage = 4

    /// - Parameter isChecked: false only where a fault injection point says so.
    init(in survey: PageSurvey, of schema: Schema, isChecked: Bool = true) {
        self.survey = survey
        self.schema = schema
        source = EntrySource(survey, isChecked: isChecked)
        var tables = [meta]
        gather(&tables)
        meta = tables[0]
        tables = ([ChangeLog.tableName, Quarantine.tableName] + collectionNames).map(FoundEntries.init)
        gather(&tables)
        changes = tables[0]
        quarantine = tables[1]
        collections = Array(tables[2...])
    }

    /// The collections of the schema, and the tables of the store that it has counted as collections.
    private var collectionNames: [String] {
        let known = schema.collections.map(\.name)
        var counted: Set<UInt32> = []
        meta.forEachKey { items in
            let key = meta.key(of: items[items.startIndex]).array
            let prefix = Meta.countPrefix.array
            guard key.starts(with: prefix), key.count == prefix.count + 4,
                source.value(of: items[items.startIndex], in: meta) != nil
            else { return }
            counted.insert(unsafe key.span.bytes.bigEndian(at: prefix.count, as: UInt32.self))
        }
        let others = survey.tables.map(\.name).filter {
            !known.contains($0) && counted.contains(Checksum.collectionNumber(of: $0))
        }
        return known + Set(others).sorted()
    }

    /// Whether every table was found with all its entries. A collection that the store does not have is whole.
    var isWhole: Bool {
        let names = Set(survey.tables.map(\.name))
        return meta.isWhole && changes.isWhole && (quarantine.isWhole || !names.contains(quarantine.name))
            && collections.allSatisfy { $0.isWhole || !names.contains($0.name) && $0.items.isEmpty }
    }

    /// Whether nothing in the file is of a store.
    var isEmpty: Bool {
        meta.items.isEmpty && changes.items.isEmpty && collections.allSatisfy(\.items.isEmpty)
    }

    // MARK: Entries

    private func gather(_ tables: inout [FoundEntries]) {
        let places = Dictionary(tables.indices.map { (tables[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
        let owned = survey.tables.map { places[$0.name] }
        let clocks = tables.map { changeFields(of: $0.name) }
        var damaged: Set<Int> = []
        var last = 0
        // Where a table is not whole, its head may have led to pages of others.
        let isCertain = survey.tables.map(\.isWhole)
        survey.forEachPage(wanting: { table in table.map { owned[$0] != nil || !isCertain[$0] } ?? true }) { page in
            if let table = page.table, let place = owned[table],
                isCertain[table] || isPage(page, of: tables[place].seed)
            {
                if !take(page, into: &tables[place], clocks[place]) { damaged.insert(place) }
                return
            }
            // The page is all of one table, as a rule that of the page before.
            let order = [last] + tables.indices.filter { $0 != last }
            guard let place = order.first(where: { isPage(page, of: tables[$0].seed) }) else { return }
            last = place
            _ = take(page, into: &tables[place], clocks[place])
        }
        for place in tables.indices {
            let found = survey.tables.filter { $0.name == tables[place].name }
            tables[place].isWhole = found.count == 1 && found[0].isWhole && !damaged.contains(place)
            if let changes = survey.log?.changes[tables[place].name] {
                let (seed, clock) = (tables[place].seed, clocks[place])
                tables[place].apply(changes) {
                    source.hash(of: $0, $1, seed: seed)
                } time: {
                    Self.time(of: $0, clock)
                }
            }
            tables[place].sort()
        }
    }

    private func isPage(_ page: SurveyedPage, of seed: UInt64) -> Bool {
        (0..<(page.isValid ? min(page.count, Self.triesPerPage) : page.count)).contains { number in
            page.withEntry(number) { key, value in Checksum.hash(key: key, checksummed: value, seed: seed) != nil }
        }
    }

    /// Takes the entries of a page. Returns whether all of them have valid checksums.
    private func take(_ page: SurveyedPage, into table: inout FoundEntries, _ clock: [Int]) -> Bool {
        var isIntact = true
        for number in 0..<page.count {
            page.withEntry(number) { key, checksummed in
                guard 1...64 ~= key.byteCount,
                    let hash = source.hash(of: key, checksummed, seed: table.seed)
                else {
                    isIntact = false
                    if page.status(ofEntry: number) == .current, page.isValid { table.addDamaged(key, checksummed) }
                    return
                }
                table.add(key, on: page, number: number, changedAt: Self.time(of: checksummed, clock), hash)
            }
        }
        return isIntact
    }

    // MARK: Times

    /// The fields in which records of a collection have the time of their last change.
    private func changeFields(of collection: String) -> [Int] {
        let declared = schema.declarations.first { $0.name == collection }?.fields ?? []
        return declared.filter { $0.kind == .instant && ["updatedAt", "deletedAt"].contains($0.name) }.map(\.number)
    }

    private static func time(of checksummed: RawSpan, _ clock: [Int]) -> Int64 {
        if clock.isEmpty { return 0 }
        let value = checksummed.extracting(0..<(checksummed.byteCount - Checksum.byteCount))
        var latest: Int64 = 0
        var position = 1
        while let end = FieldLayout.endOfField(in: value, at: position) {
            if clock.contains(Int(value[byteAt: position])), end == position + 10 {
                latest = max(latest, value.littleEndian(at: position + 2, as: Int64.self))
            }
            position = end
        }
        return latest
    }
}
