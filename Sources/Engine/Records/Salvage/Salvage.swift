import CivilTime
import Injection
import KeyValue

/// Saves what a damaged store still holds into a new store.
///
/// The old file is read page by page. What its sound trees lead to, and what is neither in a tree nor free, is the newest
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
        let survey = try PageSurvey(of: file, orderedBy: ChangeLog.tableName)
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
        return report
    }

    // MARK: One collection

    private mutating func save(_ table: FoundEntries, _ graves: Graves) throws {
        var result = SalvageReport.Collection(name: table.name)
        let choice = try choose(table, graves, &result)
        var corrected = setAside(table, besides: choice, &result)
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
    private func setAside(
        _ table: FoundEntries, besides choice: [FoundEntries.Item], _ result: inout SalvageReport.Collection
    ) -> (key: KeyBytes, value: [UInt8])? {
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
                result.missing = result.missingKeys.count
                return right
            }
            loader.setAside(key, found, of: table.name)
            result.quarantinedKeys.append(key.hexadecimal)
            result.missingKeys.removeAll { $0 == key.hexadecimal }
        }
        result.missing = result.missingKeys.count
        return nil
    }

    /// The entry of each record that is to be saved, in the order of the keys.
    private func choose(
        _ table: FoundEntries, _ graves: Graves, _ result: inout SalvageReport.Collection
    ) throws -> [FoundEntries.Item] {
        var choice: [FoundEntries.Item?] = []
        var lost: [(place: Int, key: KeyBytes, items: ArraySlice<FoundEntries.Item>)] = []
        table.forEachKey { items in
            if items[items.startIndex].isLive { return choice.append(items[items.startIndex]) }
            guard !table.isWhole || options.takesDeleted else { return }
            lost.append((choice.count, table.key(of: items[items.startIndex]), items))
            choice.append(nil)
        }
        guard !table.isWhole || !lost.isEmpty else { return choice.compactMap(\.self) }
        var evidence = loader.evidence(in: content.survey, of: table.name)
        evidence?.gather(for: Set(lost.map(\.key)), besides: Set(choice.lazy.compactMap(\.self).map(table.key)))
        var unproved = Set(evidence?.missingKeys ?? [])
        for (place, key, items) in lost {
            let proved = items.first { item in
                guard let value = source.value(of: item, in: table) else { return false }
                return isLast(value, of: key, at: item, in: table, evidence, graves)
            }
            if let proved {
                choice[place] = proved
                if !proved.isLive { result.provedCopies += 1 }
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
        result.missing += unproved.count
        return choice.compactMap(\.self)
    }

    /// Whether a copy that is not part of the newest state, as far as that can be walked, is the last version of its record.
    private func isLast(
        _ value: [UInt8], of key: KeyBytes, at item: FoundEntries.Item, in table: FoundEntries,
        _ evidence: IndexEvidence?, _ graves: Graves
    ) -> Bool {
        if options.injectionPoint(.salvagesAnyVersion) { return true }
        guard !table.isWhole else { return false }
        if let canBe = log.leaves(value, key, in: table.name), !canBe { return false }
        if let agrees = evidence?.agrees(with: value, of: key) { return agrees }
        // Without any index, only a page that may be in use is believed, and the latest version on it.
        guard item.standing == .unknown else { return false }
        return (graves[table.name]?[key]).map { item.time > $0 } ?? true
    }

    // MARK: Deletions

    /// When records were deleted, in microseconds, by their collection and key.
    private typealias Graves = [String: [KeyBytes: Int64]]

    private func deletions() -> Graves {
        var graves: Graves = [:]
        for collection in schema.collections {
            guard let buried = collection.buried,
                let table = content.collections.first(where: { $0.name == collection.name })
            else { continue }
            table.forEachKey { items in
                let item = items[items.startIndex]
                graves[buried, default: [:]][table.key(of: item)] = item.time
            }
        }
        return graves
    }
}

/// A record that stays in the place of a deleted one of another collection, under the same key, with a field `deletedAt`.
package protocol Burying {
    /// The name of that collection.
    static var buriedCollection: String { get }
}
