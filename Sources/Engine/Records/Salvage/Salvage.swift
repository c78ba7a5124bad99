import CivilTime
import Injection
import KeyValue

/// Saves what a damaged store still holds into a new store.
///
/// The old file is read page by page. What its intact trees lead to, and what is neither in a tree nor free, is the newest
/// state. Where a page of records is lost, copies of them are often on pages that are free now, since every change writes a
/// new page; such a copy is taken if the indexes, which are on other pages, and the change log show that it is the last version.
struct Salvage {
    private let content: FoundContent
    private let source: EntrySource
    private let schema: Schema
    private let options: SalvageOptions
    private let loader: StoreLoader
    private let log: SalvagedLog
    private var report = SalvageReport()

    /// Reads the damaged file and begins the new store.
    ///
    /// - Parameters:
    ///   - file: the damaged `data.mdb`, which nothing may write to meanwhile.
    ///   - path: the folder of the new store, which must not exist.
    /// - Throws: `newerFormat` when a newer version of the program wrote the store.
    init(
        _ file: String, to path: String, schema: Schema, context: Context, options: SalvageOptions
    ) throws {
        try schema.check()
        let survey = try PageSurvey.ofStore(file, orderedBy: ChangeLog.tableName)
        content = FoundContent(in: survey, of: schema, isChecked: !options.injectionPoint(.salvagesUnchecked))
        guard !content.isEmpty else { throw RecordsError.notAStore(path: file) }
        source = content.source
        self.schema = schema
        self.options = options
        let notes = SalvagedNotes(content.meta, source)
        try notes.checkVersions(of: schema, path: file)
        log = SalvagedLog(content.changes, source, notes)
        loader = try StoreLoader(
            at: path, schema: schema, context: context, sequence: log.last,
            schemaVersion: min(notes.schemaVersion ?? schema.version, schema.version))
        loader.carry(notes, content.quarantine, log, from: source)
        report.damagedPages = survey.damagedPages
    }

    /// Fills the new store.
    mutating func run() throws -> SalvageReport {
        defer { loader.abandon() }
        let graves = deletions()
        for table in content.collections { try save(table, graves) }
        let images = try loader.finish()
        for place in report.collections.indices {
            let name = report.collections[place].name
            guard let noted = loader.notedCount(of: name) else { continue }
            let image = images.first { $0.name == name } ?? CollectionImage(name: name, .none)
            report.collections[place].isProvedComplete = CollectionImage(name: name, noted) == image
            let left = image.count + report.collections[place].quarantinedKeys.count
            report.collections[place].missing = max(report.collections[place].missing, Int(noted.count) - left)
        }
        report.collections.removeAll { $0.records == 0 && $0.missing == 0 && $0.quarantinedKeys.isEmpty }
        (report.changes, report.changesLost) = loader.carriedChanges
        report.isProvedComplete = loader.hasAllCarried
        return report
    }

    // MARK: One collection

    private mutating func save(_ table: FoundEntries, _ graves: Graves) throws {
        var result = SalvageReport.Collection(name: table.name)
        let choice = try choose(table, graves, &result)
        var corrected = quarantine(table, besides: choice, &result)
        for item in choice {
            guard let value = source.value(of: item, in: table) else { continue }
            let key = table.key(of: item)
            if let (other, value) = corrected, other.bytes.precedes(key.bytes) {
                try save(other, value, &result)
                corrected = nil
            }
            try save(key, value, &result)
        }
        if let (key, value) = corrected { try save(key, value, &result) }
        report.collections.append(result)
    }

    private func save(_ key: KeyBytes, _ value: [UInt8], _ result: inout SalvageReport.Collection) throws {
        guard loader.accepts(key.bytes, value, in: result.name) else {
            result.missing += 1
            result.missingKeys.append(key.hexadecimal)
            return
        }
        try unsafe loader.append(key: key.bytes, value: value.span.bytes, to: result.name)
        result.records += 1
    }

    /// Puts the damaged records of a collection into the quarantine that are not saved from elsewhere.
    ///
    /// - Returns: the one record that could be put right instead.
    private func quarantine(
        _ table: FoundEntries, besides choice: [FoundEntries.Item], _ result: inout SalvageReport.Collection
    ) -> (key: KeyBytes, value: [UInt8])? {
        defer { result.missing = result.missingKeys.count }
        guard !table.damaged.isEmpty else { return nil }
        let saved = Set(choice.lazy.map(table.key))
        var sum = RecordCount()
        for item in choice { sum += RecordCount(count: 1, digest: item.hash) }
        let noted = loader.notedCount(of: table.name)
        let correction =
            noted.map { $0.count - sum.count } == 1
            ? ByteCorrection(target: (noted?.digest ?? 0) &- sum.digest, seed: table.seed) : nil
        for (key, found) in table.damaged.sorted(by: { $0.key.bytes.precedes($1.key.bytes) }) where !saved.contains(key)
        {
            if let right = correction?.correct(key, found) {
                result.correctedKeys.append(right.key.hexadecimal)
                result.missingKeys.removeAll { $0 == right.key.hexadecimal }
                return right
            }
            loader.quarantine(key, found, of: table.name)
            result.quarantinedKeys.append(key.hexadecimal)
            result.missingKeys.removeAll { $0 == key.hexadecimal }
        }
        return nil
    }

    /// The entry of each record that is to be saved, in the order of the keys.
    private func choose(
        _ table: FoundEntries, _ graves: Graves, _ result: inout SalvageReport.Collection
    ) throws -> [FoundEntries.Item] {
        // A page of another time or another store in the place of one has right checksums; only the sum of all shows it.
        let isDoubted = loader.notedCount(of: table.name).map { !table.isExpected(by: $0) } ?? false
        var choice: [FoundEntries.Item?] = []
        var open: [(place: Int, key: KeyBytes, items: ArraySlice<FoundEntries.Item>)] = []
        table.forEachKey { items in
            let best = items[items.startIndex]
            choice.append(best.isLive ? best : nil)
            // What the commit log says is certain.
            if best.status == .logged { return }
            guard best.isLive ? isDoubted : !table.isWhole || isDoubted || options.takesDeleted else { return }
            let key = table.key(of: best)
            if !options.takesDeleted, table.removedKeys.contains(key) { return }
            open.append((choice.count - 1, key, items))
        }
        guard !table.isWhole || !open.isEmpty else { return choice.compactMap(\.self) }
        var evidence = loader.evidence(in: content.survey, of: table.name)
        let known = Set(choice.lazy.compactMap(\.self).map(table.key)).union(table.removedKeys)
        evidence?.gather(for: Set(open.map(\.key)), besides: known)
        var unproved = Set(evidence?.missingKeys ?? [])
        for (place, key, items) in open {
            let proved = items.first { item in
                guard let value = source.value(of: item, in: table) else { return false }
                return isLast(value, of: key, at: item, in: table, isDoubted: isDoubted, evidence, graves)
            }
            let live = choice[place]
            choice[place] = proved
            if let proved {
                if !proved.isLive { result.provedCopies += 1 }
                unproved.remove(key)
            } else if let live {
                doubt(live, key, in: table, &result)
                unproved.remove(key)
            } else if options.takesDeleted {
                choice[place] = items.first
                result.formerKeys.append(key.hexadecimal)
                unproved.remove(key)
            } else if log.leaves(key, in: table.name) == true {
                unproved.insert(key)
            }
        }
        result.missingKeys += unproved.map(\.hexadecimal).sorted()
        return choice.compactMap(\.self)
    }

    /// Puts a record into the quarantine that is in its place and that the indexes contradict: it is of another time or store.
    private func doubt(
        _ item: FoundEntries.Item, _ key: KeyBytes, in table: FoundEntries, _ result: inout SalvageReport.Collection
    ) {
        guard var value = source.value(of: item, in: table) else { return }
        value.append(littleEndian: UInt32(truncatingIfNeeded: item.hash))
        loader.quarantine(key, value, of: table.name)
        result.quarantinedKeys.append(key.hexadecimal)
    }

    /// Whether a version of a record is the last one, where the trees alone do not show it.
    private func isLast(
        _ value: [UInt8], of key: KeyBytes, at item: FoundEntries.Item, in table: FoundEntries, isDoubted: Bool,
        _ evidence: IndexEvidence?, _ graves: Graves
    ) -> Bool {
        if options.injectionPoint(.salvagesAnyVersion) { return true }
        if table.removedKeys.contains(key) { return false }
        if item.isLive { return (evidence?.agrees(with: value, of: key) ?? nil) ?? true }
        guard !table.isWhole || isDoubted else { return false }
        if let canBe = log.leaves(value, key, in: table.name), !canBe { return false }
        if let agrees = evidence?.agrees(with: value, of: key) ?? nil { return agrees }
        // Without any index, only a page that may be in use is trusted, and the latest version on it.
        guard item.status == .unknown else { return false }
        return (graves[table.name]?[key]).map { item.time > $0 } ?? true
    }

    // MARK: Deletions

    /// When records were deleted, in microseconds, by their collection and key.
    private typealias Graves = [String: [KeyBytes: Int64]]

    private func deletions() -> Graves {
        var graves: Graves = [:]
        for collection in schema.collections {
            guard let tombstonesOf = collection.tombstonesOf,
                let table = content.collections.first(where: { $0.name == collection.name })
            else { continue }
            table.forEachKey { items in
                let item = items[items.startIndex]
                graves[tombstonesOf, default: [:]][table.key(of: item)] = item.time
            }
        }
        return graves
    }
}
