/// A block as it stands in the file, and what the writer has to know of it.
struct CodedBlock: Sendable {
    let collection: Int
    let count: Int
    let byteCount: Int
    let bytes: [UInt8]
    let sizes: SnapshotSizes

    init(_ block: BlockColumns, collection: Int, level: Int) {
        self.collection = collection
        count = block.count
        byteCount = block.byteCount
        var sizes = SnapshotSizes()
        bytes = BlockWriter(level: level).bytes(of: block, into: &sizes)
        self.sizes = sizes
    }
}
