import ByteStreams
import Crypto
import Records
import Threading

/// Writes a snapshot: first the manifest, then the records by collection and ascending keys.
///
/// The output depends only on the manifest, the level and the records. Two blocks of records are in memory: one is
/// coded on another thread while the next one is collected.
package final class SnapshotWriter {
    package typealias Sink = (_ bytes: [UInt8]) throws(FileError) -> Void

    /// The header, which precedes the body in the file.
    package let header: SnapshotHeader
    /// The sums of the records so far.
    private(set) var sums: SnapshotSums
    private let sink: Sink
    private var block = BlockColumns()
    private let level: Int
    private var pending: BackgroundResult<CodedBlock>?
    private var collection = 0
    private var hash = SHA256()
    private let names: [String]
    private let checksum: SectionChecksum
    private let blockLimit: Int
    private let pace: BackgroundPace?

    /// - Parameters:
    ///   - level: the level of zstd, 1 to 19; 0 for no compression.
    ///   - isEncrypted: what the header states; encrypting is up to the sink.
    ///   - pace: lets writers of the store go first.
    ///   - sink: receives the body part by part.
    package convenience init(
        _ manifest: SnapshotManifest, level: Int, isEncrypted: Bool = false, pace: BackgroundPace? = nil,
        body sink: @escaping Sink
    ) throws(FileError) {
        try self.init(
            manifest, level: level, isEncrypted: isEncrypted, blockLimit: BlockReader.countLimit, pace: pace,
            body: sink)
    }

    /// - Parameter blockLimit: how many records a block has; tests make it small.
    init(
        _ manifest: SnapshotManifest, level: Int, isEncrypted: Bool, blockLimit: Int, pace: BackgroundPace? = nil,
        body sink: @escaping Sink
    ) throws(FileError) {
        self.pace = pace
        header = SnapshotHeader(manifest, isEncrypted: isEncrypted)
        names = manifest.names
        sums = SnapshotSums(names)
        checksum = SectionChecksum(manifest.id)
        self.blockLimit = blockLimit
        self.level = level
        self.sink = sink
        hash.update(data: header.bytes)
        try writeSection(SnapshotSection(.manifest, length: 0), manifest.bytes, in: "")
    }

    /// Adds a record to the collection of this number.
    package func append(key: RawSpan, value: RawSpan, to collection: Int) throws(FileError) {
        try prepare(collection, adding: key.byteCount + value.byteCount)
        block.append(key: key, value: value)
        sums.add(key, value, to: collection)
    }

    /// Adds the deletion of a record.
    package func appendRemoval(of key: RawSpan, from collection: Int) throws(FileError) {
        try prepare(collection, adding: key.byteCount)
        block.appendRemoval(of: key)
        sums.addRemoval(of: key, from: collection)
    }

    /// Writes the footer, without which the file is not a snapshot.
    package func finish() throws(FileError) {
        try writePending()
        // The last block, for most stores the only one, needs no other thread.
        if block.count > 0 { try write(CodedBlock(block, collection: collection, level: level)) }
        try write(SnapshotSection(.footer, length: SHA256.byteCount, checksum: checksum.mark).bytes)
        let digest = Array(hash.finalize())
        try sink(digest)
    }

    private func prepare(_ collection: Int, adding byteCount: Int) throws(FileError) {
        guard byteCount <= BlockReader.recordLimit else { throw .recordTooLarge(collection: collection) }
        if collection != self.collection || block.count == blockLimit
            || block.count > 0 && block.byteCount + byteCount > BlockReader.byteLimit
        {
            try startCoding()
        }
        self.collection = collection
    }

    /// Starts coding the collected records and writes the block before them.
    private func startCoding() throws(FileError) {
        guard block.count > 0 else { return }
        try writePending()
        pending = BackgroundResult { [block, collection, level] in
            CodedBlock(block, collection: collection, level: level)
        }
        block = BlockColumns()
        if pace?.isShared == true { try writePending() }
    }

    private func writePending() throws(FileError) {
        guard let pending else { return }
        self.pending = nil
        try write(pending.wait())
    }

    private func write(_ coded: CodedBlock) throws(FileError) {
        let section = SnapshotSection(.records, collection: coded.collection, count: coded.count, length: 0)
        try writeSection(section, coded.bytes, in: names[coded.collection])
    }

    private func writeSection(
        _ section: SnapshotSection, _ content: [UInt8], in name: String
    ) throws(FileError) {
        var section = section
        section.length = content.count
        section.checksum = checksum.of(section, content, in: name)
        try write(section.bytes)
        try write(content)
    }

    private func write(_ bytes: [UInt8]) throws(FileError) {
        hash.update(data: bytes)
        try sink(bytes)
    }
}
