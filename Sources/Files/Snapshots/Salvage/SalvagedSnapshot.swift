import ByteStreams
import Records

/// What a damaged snapshot still holds.
///
/// A block of version 2 is trusted by its checksum, which no block of another snapshot or of another collection passes. Version 1
/// has only sums of whole collections and of the whole file, so a block of it is trusted when one of those is right.
final class SalvagedSnapshot {
    let path: String
    /// Nil when it is damaged.
    private(set) var manifest: SnapshotManifest?
    /// The id of the snapshot that this one continues, by the manifest, or else by the header.
    private(set) var baseID: SnapshotID?
    /// Whether it is known if the snapshot continues another one.
    private(set) var isBaseKnown = false
    /// The blocks that can be decoded, in the order of their records.
    private(set) var blocks: [SalvagedBlock] = []
    /// How many records are in lost blocks whose heads are intact, by the names of their collections.
    private(set) var lostCounts: [String: Int] = [:]

    private let sections: FoundSections
    private let isChecked: Bool
    private let decompressor = ZstdFrameDecompressor()
    /// The end of what precedes the blocks, if that is known.
    private var start: Int?
    /// Version 1: the names of the collections whose sums are right; nil when everything is trusted.
    private var provedNames: Set<String>?

    /// Finds out what can be trusted.
    ///
    /// - Parameters:
    ///   - names: those of the collections that are tried where the manifest is lost.
    ///   - id: the snapshot's id, where another one states it.
    ///   - isChecked: false only where a fault injection point says so.
    /// - Throws: `notASnapshot`, `newerSnapshot`; `damagedSnapshot` when nothing of it can be trusted.
    init(
        _ bytes: SnapshotBytes, trying names: [String], id: SnapshotID? = nil, isChecked: Bool = true
    ) throws(FileError) {
        path = bytes.path
        self.isChecked = isChecked
        let stated = Self.version(in: bytes.header)
        var found = FoundSections(in: bytes, version: 2)
        if found.sections.isEmpty, stated ?? 1 == 1 { found = FoundSections(in: bytes, version: 1) }
        sections = found
        if found.version == 1 { takeOfVersion1(bytes) } else { takeTrusted(bytes, trying: names, id) }
        guard manifest != nil || !blocks.isEmpty else {
            if let stated, stated > SnapshotHeader.version {
                throw .newerSnapshot(path: path, found: stated, supported: SnapshotHeader.version)
            }
            if stated == nil { throw .notASnapshot(path: path) }
            throw .damagedSnapshot(path: path, reason: "nothing in it has a valid checksum")
        }
        if let id, let manifest, manifest.id != id {
            throw .damagedSnapshot(path: path, reason: "it is another snapshot than the one that is continued")
        }
        let header = try? SnapshotHeader(bytes.header, path: path)
        baseID = manifest.map { $0.base?.id } ?? header?.base
        isBaseKnown = manifest != nil || header != nil
    }

    /// The version that the header states; nil when it is not that of a snapshot.
    private static func version(in header: [UInt8]) -> Int? {
        guard header.count == SnapshotHeader.byteCount, SnapshotHeader.hasMagic(header) else { return nil }
        return Int(header[8]) | Int(header[9]) << 8
    }

    /// How many places of the file have lost blocks.
    var gapCount: Int {
        if let provedNames, let manifest { return manifest.names.count { !provedNames.contains($0) } }
        return (0...blocks.count).count(where: hasGap)
    }

    /// Whether what it holds of a collection is as it was written.
    func isTrusted(_ name: String) -> Bool { provedNames?.contains(name) ?? true }

    /// Whether records may be lost before a block, or after the last one.
    func hasGap(before number: Int) -> Bool {
        let end = number == 0 ? start : blocks[number - 1].section.end
        if number < blocks.count { return blocks[number].section.offset != end }
        return !sections.sections.contains { $0.head.kind == .footer && $0.offset == end }
    }

    /// Decodes a block.
    func reader(of block: SalvagedBlock) -> BlockReader? {
        reader(of: block.section, sections.content(of: block.section))
    }

    private func reader(of section: FoundSections.Section, _ content: [UInt8]) -> BlockReader? {
        var cursor = ByteCursor(content)
        guard let byteCount = try? cursor.integer(UInt64.self) else { return nil }
        return try? BlockReader(
            Array(content[8...]), byteCount: byteCount, count: section.head.count, decompressor: decompressor)
    }

    /// Takes a block if it can be decoded and its keys ascend.
    private func take(
        _ section: FoundSections.Section, _ content: [UInt8], in name: String, adding sum: inout CollectionDigest
    ) -> Bool {
        guard var reader = reader(of: section, content) else { return false }
        var (key, value, first, last): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        do {
            while let isRecord = try reader.next(key: &key, value: &value) {
                guard 1...511 ~= key.count, last.isEmpty || last.precedes(key) else { return false }
                if last.isEmpty { first = key }
                last.replace(with: key)
                if isRecord { sum.add(key, value) }
            }
        } catch {
            return false
        }
        blocks.append(SalvagedBlock(section: section, name: name, firstKey: first, lastKey: last))
        return true
    }

    /// Whole blocks that were moved are as good as others; those that are there twice are taken once.
    private func sortBlocks() {
        let all = blocks.sorted { $0.isBefore($1) }
        blocks = []
        for block in all where blocks.last?.ends(before: block) ?? true { blocks.append(block) }
    }

    // MARK: Version 2

    private func takeTrusted(_ bytes: SnapshotBytes, trying names: [String], _ id: SnapshotID?) {
        var manifests: [(manifest: SnapshotManifest, end: Int)] = []
        for section in sections.sections where section.head.kind == .manifest {
            guard section.head.length <= SnapshotManifest.byteLimit else { continue }
            let content = sections.content(of: section)
            guard let found = try? SnapshotManifest(content),
                SectionChecksum(found.id).of(section.head, content, in: "") == section.head.checksum
            else { continue }
            manifests.append((found, section.end))
        }
        if let found = manifests.first(where: { $0.manifest.id == id }) ?? manifests.first {
            (manifest, start) = (found.manifest, found.end)
            takeBlocks(by: SectionChecksum(found.manifest.id), of: found.manifest.names, trying: [])
        } else {
            // Where the manifest's head is intact, nothing is lost between it and the first block.
            start = sections.sections.first { $0.head.kind == .manifest }?.end
            for checksum in checksums(bytes, id) where blocks.isEmpty {
                takeBlocks(by: checksum, of: [], trying: names)
            }
        }
    }

    /// What the checksums can begin with where the manifest is lost: the header and the footer state it.
    private func checksums(_ bytes: SnapshotBytes, _ id: SnapshotID?) -> [SectionChecksum] {
        var ids = id.map { [$0] } ?? []
        if bytes.header.count == SnapshotHeader.byteCount {
            ids.append(SnapshotID(bytes: Array(bytes.header[24..<40])))
        }
        let footers = sections.sections.filter { $0.head.kind == .footer }
        return ids.map(SectionChecksum.init) + footers.map { SectionChecksum(mark: $0.head.checksum) }
    }

    /// - Parameters:
    ///   - names: those of the collections by their numbers, where they are known.
    ///   - others: the names that are tried for other numbers.
    private func takeBlocks(by checksum: SectionChecksum, of names: [String], trying others: [String]) {
        var known = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.offset, $0.element) })
        var lost: [SnapshotSection] = []
        var ignored = CollectionDigest(collection: "")
        for section in sections.sections where section.head.kind == .records {
            let content = sections.content(of: section)
            let candidates = known[section.head.collection].map { [$0] } ?? others
            let name = candidates.first {
                !isChecked || checksum.of(section.head, content, in: $0) == section.head.checksum
            }
            if let name, take(section, content, in: name, adding: &ignored) {
                known[section.head.collection] = name
            } else {
                lost.append(section.head)
            }
        }
        for head in lost {
            if let name = known[head.collection] { lostCounts[name, default: 0] += head.count }
        }
        sortBlocks()
    }

    // MARK: Version 1

    private func takeOfVersion1(_ bytes: SnapshotBytes) {
        guard let first = sections.sections.first, first.head.kind == .manifest,
            first.head.length <= SnapshotManifest.byteLimit,
            let manifest = try? SnapshotManifest(sections.content(of: first))
        else { return }
        self.manifest = manifest
        start = first.end
        let names = manifest.names
        var sums = names.map { CollectionDigest(collection: $0) }
        for section in sections.sections where section.head.kind == .records && section.head.collection < names.count {
            let number = section.head.collection
            _ = take(section, sections.content(of: section), in: names[number], adding: &sums[number])
        }
        sortBlocks()
        guard !isIntact(bytes, manifest) else { return }
        // The sums of an incremental snapshot are those of the store, not of the file.
        let found = zip(names, sums).map { SnapshotCollection(name: $0, count: $1.count, digest: $1.digest) }
        provedNames = manifest.base == nil ? Set(found.filter(manifest.collections.contains).map(\.name)) : []
    }

    /// Whether the SHA-256 of version 1 is right. Everything in the header is in the manifest, too.
    private func isIntact(_ bytes: SnapshotBytes, _ manifest: SnapshotManifest) -> Bool {
        let isEncrypted = (try? SnapshotHeader(bytes.header, path: path))?.isEncrypted ?? false
        let header = SnapshotHeader(manifest, isEncrypted: isEncrypted, formatVersion: 1)
        var offset = SnapshotHeader.byteCount
        do {
            let reader = try SnapshotReader(path: path, header: header) { () throws(FileError) in
                let part = bytes.read(at: offset, 1 << 20)
                offset += part.count
                return part
            }
            while try reader.next() {}
            return true
        } catch {
            return false
        }
    }
}

/// A block of a damaged snapshot that can be decoded.
struct SalvagedBlock {
    let section: FoundSections.Section
    /// The name of the collection.
    let name: String
    let firstKey: [UInt8]
    let lastKey: [UInt8]

    fileprivate func isBefore(_ other: SalvagedBlock) -> Bool {
        name == other.name ? firstKey.precedes(other.firstKey) : name.precedesInBytes(other.name)
    }

    fileprivate func ends(before other: SalvagedBlock) -> Bool {
        name == other.name ? lastKey.precedes(other.firstKey) : name.precedesInBytes(other.name)
    }
}

extension String {
    /// Whether the bytes of a name come before those of another: the order of collections in a snapshot.
    func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
