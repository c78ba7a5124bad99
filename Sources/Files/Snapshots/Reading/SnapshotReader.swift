import ByteStreams
import Crypto
import Records
import Threading

/// Reads a snapshot from beginning to end and checks it: once `next` has returned false, every byte is as it was
/// written.
///
/// Invalid bytes lead to an error, never to a crash. At most two blocks are in memory: the next one is decoded on
/// another thread while the records of one are returned.
package final class SnapshotReader {
    package typealias Source = () throws(FileError) -> [UInt8]

    package let header: SnapshotHeader
    package let manifest: SnapshotManifest
    /// The names of the collections by their numbers.
    package let names: [String]
    /// The path in errors.
    package let path: String

    /// The number of the record's collection.
    package private(set) var collection = 0
    /// The record's key.
    package private(set) var key: [UInt8] = []
    /// The record's value, without its checksum.
    package private(set) var value: [UInt8] = []
    /// Whether the record was deleted.
    package private(set) var isRemoval = false

    /// Lets writers of the store go first whose snapshot this is.
    var pace: BackgroundPace?

    private var source: SnapshotSource
    private var block: BlockReader?
    private var coming: (collection: Int, block: BackgroundResult<Result<BlockReader, SnapshotDamage>>)?
    private var footer: SnapshotSection?
    private var isAtEnd = false
    /// Where the sections began, which the footer of version 1 states.
    private var sections = [SnapshotHeader.byteCount]
    private let checksum: SectionChecksum
    /// The total length of the keys and values so far.
    package private(set) var recordBytes: UInt64 = 0
    private var previousKey: [UInt8] = []
    /// The sums of what was read so far.
    private(set) var sums: SnapshotSums
    /// Whether the count and digest of each collection can be compared; in an incremental snapshot they describe the
    /// store.
    private var isWhole: Bool { manifest.base == nil }

    /// Reads the manifest. `body` returns what follows the header part by part, and an empty part at the end.
    package init(path: String, header: SnapshotHeader, body: @escaping Source) throws(FileError) {
        self.path = path
        self.header = header
        var source = SnapshotSource(header, body)
        do {
            let section = try Self.readHead(from: &source, header)
            guard section.kind == .manifest, section.collection == 0, section.count == 0,
                section.length <= SnapshotManifest.byteLimit
            else { throw SnapshotDamage("it does not begin with its manifest") }
            guard let bytes = try source.takeHashed(section.length) else { throw Self.truncated }
            let manifest = try SnapshotManifest(bytes)
            let checksum = SectionChecksum(manifest.id)
            guard
                header
                    == SnapshotHeader(
                        manifest, isEncrypted: header.isEncrypted, formatVersion: header.formatVersion),
                header.formatVersion == 1 || section.checksum == checksum.of(section, bytes, in: "")
            else {
                throw SnapshotDamage("its header and its manifest disagree")
            }
            self.checksum = checksum
            self.manifest = manifest
        } catch {
            throw Self.error(error, path: path)
        }
        names = manifest.names
        sums = SnapshotSums(names)
        self.source = source
    }

    /// Moves to the next record, in the order of collections and keys; false at the end, when everything was checked.
    package func next() throws(FileError) -> Bool {
        do {
            while !isAtEnd {
                if let isRecord = try block?.next(key: &key, value: &value) {
                    try check(isRecord: isRecord)
                    return true
                }
                try readSection()
            }
            return false
        } catch {
            throw Self.error(error, path: path)
        }
    }

    private func check(isRecord: Bool) throws(SnapshotDamage) {
        guard 1...511 ~= key.count, previousKey.isEmpty || previousKey.precedes(key) else {
            throw SnapshotDamage("its keys are not in order")
        }
        previousKey.replace(with: key)
        isRemoval = !isRecord
        guard isRecord else {
            if isWhole { throw SnapshotDamage("it deletes a record in a full snapshot") }
            return sums.addRemoval(of: key, from: collection)
        }
        sums.add(key, value, to: collection)
    }

    /// Moves to the next block and starts decoding the one after it, or reaches the end.
    private func readSection() throws {
        block = nil
        if coming == nil { try readAhead() }
        if let next = coming {
            coming = nil
            block = try next.block.wait().get()
            if next.collection != collection { previousKey = [] }
            collection = next.collection
            // Two large blocks at once would use too much memory.
            if block?.byteCount ?? 0 <= BlockReader.byteLimit { try readAhead() }
        } else if let footer {
            try readFooter(footer)
        }
    }

    private func readAhead() throws {
        guard footer == nil else { return }
        let start = source.offset
        let section = try Self.readHead(from: &source, header)
        switch section.kind {
        case .manifest: throw SnapshotDamage("it has two manifests")
        case .records: try readBlock(section, start: start)
        case .footer: footer = section
        }
    }

    private static func readHead(
        from source: inout SnapshotSource, _ header: SnapshotHeader
    ) throws -> SnapshotSection {
        let version = header.formatVersion
        guard let head = try source.takeHashed(SnapshotSection.byteCount(version: version)) else { throw truncated }
        return try SnapshotSection(head, version: version)
    }

    private func readBlock(_ section: SnapshotSection, start: Int) throws {
        guard section.collection < names.count, section.collection >= collection else {
            throw SnapshotDamage("its collections are not in order")
        }
        // The first bytes state the length of the records; the coded form is never much longer.
        guard section.length >= 8, let first = try source.takeHashed(8) else { throw Self.truncated }
        var cursor = ByteCursor(first)
        let byteCount = try cursor.integer(UInt64.self)
        guard byteCount <= UInt64(BlockReader.recordLimit), section.length <= 2 * Int(byteCount) + 1 << 20 else {
            throw SnapshotDamage("a block is too large")
        }
        guard let rest = try source.takeHashed(section.length - 8) else { throw Self.truncated }
        recordBytes += byteCount
        sections.append(start)
        let check = header.formatVersion == 1 ? nil : checksum
        let decoded = BackgroundResult { [names] in
            Result { () throws(SnapshotDamage) in
                guard
                    check.map({ $0.of(section, first + rest, in: names[section.collection]) == section.checksum })
                        ?? true
                else { throw SnapshotDamage("a block is damaged") }
                return try BlockReader(
                    rest, byteCount: byteCount, count: section.count, decompressor: ZstdFrameDecompressor())
            }
        }
        if pace?.isShared == true { _ = decoded.wait() }
        coming = (section.collection, decoded)
    }

    private func readFooter(_ section: SnapshotSection) throws {
        if header.formatVersion == 1 {
            try readOffsets(section)
        } else if section != SnapshotSection(.footer, length: SHA256.byteCount, checksum: checksum.mark) {
            throw SnapshotDamage("its footer is not that of its header")
        }
        let digest = source.digest
        guard let stored = try source.take(32) else { throw Self.truncated }
        guard stored == digest else { throw SnapshotDamage("its SHA-256 is wrong") }
        guard try source.isAtEnd() else { throw SnapshotDamage("something follows its end") }
        if isWhole {
            let found = zip(names, sums.records).map {
                SnapshotCollection(name: $0, count: $1.count, digest: $1.digest)
            }
            guard found == manifest.collections else {
                throw SnapshotDamage("its records differ from its manifest")
            }
        }
        isAtEnd = true
    }

    /// The content of a footer of version 1 before its SHA-256.
    private func readOffsets(_ section: SnapshotSection) throws {
        let length = 4 + sections.count * 8 + 8
        guard section == SnapshotSection(.footer, length: length + SHA256.byteCount),
            let footer = try source.takeHashed(length)
        else {
            throw SnapshotDamage("its footer differs from its sections")
        }
        var expected: [UInt8] = []
        expected.append(littleEndian: UInt32(sections.count))
        for offset in sections { expected.append(littleEndian: UInt64(offset)) }
        expected.append(littleEndian: recordBytes)
        guard footer == expected else { throw SnapshotDamage("its footer differs from its sections") }
    }

    private static let truncated = SnapshotDamage("its end is missing")

    private static func error(_ error: any Error, path: String) -> FileError {
        switch error {
        case let error as FileError: error
        case let error as SnapshotDamage: .damagedSnapshot(path: path, reason: error.reason)
        default: .damagedSnapshot(path: path, reason: "it cannot be read")
        }
    }
}

/// The bytes of a snapshot's body, with the running hash of what was read.
struct SnapshotSource {
    package typealias Read = () throws(FileError) -> [UInt8]

    private let read: Read
    private var buffer: [UInt8] = []
    private var position = 0
    private var hash = SHA256()
    /// The offset of the next byte in the file.
    private(set) var offset = SnapshotHeader.byteCount

    init(_ header: SnapshotHeader, _ read: @escaping Read) {
        self.read = read
        hash.update(data: header.bytes)
    }

    /// The hash of the header and of everything that was read as hashed.
    var digest: [UInt8] { Array(hash.finalize()) }

    /// Returns the next bytes; nil when there are fewer. Memory is allocated as bytes arrive, not as lengths state.
    mutating func take(_ count: Int) throws(FileError) -> [UInt8]? {
        var taken: [UInt8] = []
        while taken.count < count {
            if position == buffer.count {
                buffer = try read()
                position = 0
                if buffer.isEmpty { return nil }
            }
            let piece = min(count - taken.count, buffer.count - position)
            if piece == buffer.count, taken.isEmpty, piece == count {
                taken = buffer
            } else {
                taken.append(contentsOf: buffer[position..<position + piece])
            }
            position += piece
        }
        offset += count
        return taken
    }

    /// Returns the next bytes and adds them to the hash.
    mutating func takeHashed(_ count: Int) throws(FileError) -> [UInt8]? {
        guard let taken = try take(count) else { return nil }
        hash.update(data: taken)
        return taken
    }

    mutating func isAtEnd() throws(FileError) -> Bool {
        if position == buffer.count {
            buffer = try read()
            position = 0
        }
        return buffer.isEmpty
    }
}
