import ByteStreams
import Crypto

/// Writes a snapshot: the manifest is known before, then come the records, collection by collection, by ascending keys.
///
/// What it writes depends on nothing but the manifest, the level and the records. Two blocks of records are in memory:
/// one is coded by another thread while the next one is gathered.
package final class SnapshotWriter {
    package typealias Sink = (_ bytes: [UInt8]) throws(FileError) -> Void

    /// The bytes that come before the body in the file.
    package let header: SnapshotHeader
    /// Where the bytes of the file went.
    package private(set) var sizes = SnapshotSizes()
    /// All that was added so far.
    private(set) var sums: SnapshotSums
    private let sink: Sink
    private var block = BlockColumns()
    private let level: Int
    private var coming: BackgroundResult<CodedBlock>?
    private var collection = 0
    private var hash = SHA256()
    private var offset = SnapshotHeader.byteCount
    private var sections: [Int] = []
    private var recordBytes: UInt64 = 0

    /// - Parameters:
    ///   - level: the level of zstd, 1 to 19; 0 for none.
    ///   - isEncrypted: what the header says; the sink is where it is done.
    ///   - sink: takes the body, piece by piece.
    package init(
        _ manifest: SnapshotManifest, level: Int, isEncrypted: Bool = false, body sink: @escaping Sink
    ) throws(FileError) {
        header = SnapshotHeader(manifest, isEncrypted: isEncrypted)
        sums = SnapshotSums(manifest.names)
        self.level = level
        self.sink = sink
        hash.update(data: header.bytes)
        sizes.add(SnapshotHeader.byteCount, to: .frame)
        try writeSection(.manifest, manifest.bytes)
        sizes.add(manifest.bytes.count, to: .frame)
    }

    /// Adds a record to the collection of this number.
    package func append(key: RawSpan, value: RawSpan, to collection: Int) throws(FileError) {
        try prepare(collection, adding: key.byteCount + value.byteCount)
        block.append(key: key, value: value)
        sums.add(key, value, to: collection)
    }

    /// Adds that the record of a key is gone.
    package func appendRemoval(of key: RawSpan, from collection: Int) throws(FileError) {
        try prepare(collection, adding: key.byteCount)
        block.appendRemoval(of: key)
        sums.addRemoval(of: key, from: collection)
    }

    /// Writes the end. Without it the file is not a snapshot.
    package func finish() throws(FileError) {
        try writeComing()
        // The last one, which for most stores is the only one, needs no other thread.
        if block.count > 0 { try write(CodedBlock(block, collection: collection, level: level)) }
        var footer: [UInt8] = []
        footer.append(littleEndian: UInt32(sections.count))
        for section in sections { footer.append(littleEndian: UInt64(section)) }
        footer.append(littleEndian: recordBytes)
        let head = SnapshotSection(.footer, length: footer.count + SHA256.byteCount).bytes
        try write(head)
        try write(footer)
        let digest = Array(hash.finalize())
        try sink(digest)
        sizes.add(head.count + footer.count + digest.count, to: .frame)
    }

    private func prepare(_ collection: Int, adding byteCount: Int) throws(FileError) {
        guard byteCount <= BlockReader.recordLimit else { throw .recordTooLarge(collection: collection) }
        if collection != self.collection || block.count == BlockReader.countLimit
            || block.count > 0 && block.byteCount + byteCount > BlockReader.byteLimit
        {
            try passBlock()
        }
        self.collection = collection
    }

    /// Has the gathered records coded, while more are gathered, and writes those before them.
    private func passBlock() throws(FileError) {
        guard block.count > 0 else { return }
        try writeComing()
        coming = BackgroundResult { [block, collection, level] in
            CodedBlock(block, collection: collection, level: level)
        }
        block = BlockColumns()
    }

    private func writeComing() throws(FileError) {
        guard let coming else { return }
        self.coming = nil
        try write(coming.wait())
    }

    private func write(_ coded: CodedBlock) throws(FileError) {
        recordBytes += UInt64(coded.byteCount)
        sizes.add(coded.sizes)
        try writeSection(.records, collection: coded.collection, count: coded.count, coded.bytes)
    }

    private func writeSection(
        _ kind: SnapshotSection.Kind, collection: Int = 0, count: Int = 0, _ content: [UInt8]
    ) throws(FileError) {
        sections.append(offset)
        let head = SnapshotSection(kind, collection: collection, count: count, length: content.count).bytes
        sizes.add(head.count, to: .frame)
        try write(head)
        try write(content)
    }

    private func write(_ bytes: [UInt8]) throws(FileError) {
        hash.update(data: bytes)
        offset += bytes.count
        try sink(bytes)
    }
}
