import ByteStreams
import CivilTime
import Injection
import Records

/// Saves what a damaged snapshot, and those that it continues, still hold into a new store.
///
/// The newest version of each record is taken. Where a block of a later snapshot is lost, records of earlier ones may have been
/// changed or deleted in it; they are taken only if the manifest's count and digest prove that they were not.
package struct SnapshotSalvage {
    private let schema: Schema
    private let options: SalvageOptions
    private let passphrase: Passphrase?
    /// The snapshots, the full one first.
    private var files: [SalvagedSnapshot] = []
    private var missingBase: String?

    /// Reads a snapshot and those that it continues, which must be in the same folder.
    ///
    /// - Throws: `notASnapshot`, `newerSnapshot`, `passphraseNeeded`, `notDecryptable`; `damagedSnapshot` when nothing can be
    ///   trusted.
    package init(_ path: String, schema: Schema, options: SalvageOptions, passphrase: Passphrase?) throws(FileError) {
        self.schema = schema
        self.options = options
        self.passphrase = passphrase
        files = [try open(path, id: nil)]
        while let base = files[0].baseID, files.count < SnapshotFile.chainLimit {
            guard let file = self.base(base) else {
                missingBase = files[0].manifest?.base?.fileName ?? base.description
                break
            }
            files.insert(file, at: 0)
        }
    }

    private func open(_ path: String, id: SnapshotID?) throws(FileError) -> SalvagedSnapshot {
        // Where a manifest is lost, those of the others know what the store had.
        let known = Set(files.flatMap { $0.manifest?.names ?? [] } + schema.collectionNames)
        return try SalvagedSnapshot(
            SnapshotBytes(path, passphrase: passphrase), trying: known.sorted(), id: id,
            isChecked: !options.injectionPoint(.salvagesUnchecked))
    }

    /// The snapshot of an id: by its header, or else by its name when the continuing one was made.
    private func base(_ id: SnapshotID) -> SalvagedSnapshot? {
        let folder = FolderEntry.folder(of: files[0].path)
        let byID = (try? SnapshotFolder(folder).files())?[id]?.path
        let byName = files[0].manifest?.base.map { "\(folder)/\($0.fileName)" }
        for path in [byID, byName].compactMap(\.self) where !files.contains(where: { $0.path == path }) {
            if let file = try? open(path, id: id) { return file }
        }
        return nil
    }

    /// Fills a new store.
    ///
    /// - Parameter path: its folder, which must not exist.
    package func run(to path: String, context: Context) throws -> SalvageReport {
        let manifest = files[files.count - 1].manifest
        let newest = files.compactMap(\.manifest).last
        if let manifest, manifest.schema > schema.version {
            throw RecordsError.newerFormat(
                path: files[files.count - 1].path, found: Int(manifest.schema), known: Int(schema.version))
        }
        let loader = try StoreLoader(
            at: path, schema: schema, context: context, sequence: min(newest?.sequence ?? 0, 1 << 61),
            schemaVersion: min(newest?.schema ?? schema.version, schema.version))
        defer { loader.abandon() }
        let stated = manifest.map { manifest in
            Dictionary(uniqueKeysWithValues: manifest.collections.map { ($0.name, $0) })
        }
        let found = sums()
        var report = SalvageReport()
        report.missingBase = missingBase
        report.damagedBlocks = files.reduce(0) { $0 + $1.gapCount + ($1.isBaseKnown ? 0 : 1) }
        var results: [String: SalvageReport.Collection] = [:]
        for name in Set(found.keys).union(stated.map { Set($0.keys) } ?? []) {
            results[name] = SalvageReport.Collection(name: name)
        }
        // Count and digest prove that nothing is outdated, wherever it comes from.
        let whole = Set(found.filter { $0.value.isStated(by: stated?[$0.key]) }.keys)
        let loaded = try fill(loader, whole, &results)
        for name in results.keys.sorted(by: { $0.precedesInBytes($1) }) {
            guard var result = results[name] else { continue }
            conclude(&result, stated, loaded[name])
            if result.records > 0 || result.missing > 0 || result.isProvedComplete == false {
                report.collections.append(result)
            }
        }
        report.isProvedComplete = manifest != nil && report.collections.allSatisfy { $0.isProvedComplete == true }
        _ = try loader.finish()
        return report
    }

    /// The sums of everything that is there, trusted or not.
    private func sums() -> [String: CollectionDigest] {
        var sums: [String: CollectionDigest] = [:]
        var records = SalvagedRecords(files)
        while records.next() {
            sums[records.name, default: CollectionDigest(collection: records.name)].add(records.key, records.value)
        }
        return sums
    }

    /// Loads what can be trusted. Returns its sums.
    private func fill(
        _ loader: StoreLoader, _ whole: Set<String>, _ results: inout [String: SalvageReport.Collection]
    ) throws -> [String: CollectionDigest] {
        var sums: [String: CollectionDigest] = [:]
        var records = SalvagedRecords(files)
        while records.next() {
            let (name, key) = (records.name, records.key.span.bytes)
            guard var result = results[name] else { continue }
            results[name] = nil
            defer { results[name] = result }
            let isBelieved = records.status == .certain || whole.contains(name)
            let isTaken = isBelieved || records.status == .former && options.takesDeleted
            guard isTaken, loader.accepts(key, records.value, in: name) else {
                if isBelieved || records.status == .former { result.missingKeys.append(records.key.hexadecimal) }
                continue
            }
            if !isBelieved { result.formerKeys.append(records.key.hexadecimal) }
            try loader.append(key: key, value: records.value.span.bytes, to: name)
            sums[name, default: CollectionDigest(collection: name)].add(records.key, records.value)
            result.records += 1
        }
        return sums
    }

    /// Compares what was saved of a collection with what the snapshot states.
    private func conclude(
        _ result: inout SalvageReport.Collection, _ stated: [String: SnapshotCollection]?, _ loaded: CollectionDigest?
    ) {
        guard let stated else {
            // Heads of lost blocks state the number of their records, which a later snapshot may have deleted.
            if files.count == 1 { result.missing = files[0].lostCounts[result.name] ?? 0 }
            return
        }
        let wanted = stated[result.name]
        let isComplete = (loaded ?? CollectionDigest(collection: result.name)).isStated(by: wanted)
        result.isProvedComplete = isComplete
        result.missing = max(0, (wanted?.count ?? 0) - result.records)
        if isComplete { result.missingKeys = [] }
    }
}

extension CollectionDigest {
    /// Whether these are all records that a manifest states; nil for none.
    fileprivate func isStated(by collection: SnapshotCollection?) -> Bool {
        count == collection?.count ?? 0 && digest == collection?.digest ?? 0
    }
}
