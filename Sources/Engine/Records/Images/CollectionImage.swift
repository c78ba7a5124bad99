/// What is stored of one collection at one moment: its table's name, and how many records there are with which digest.
package struct CollectionImage: Sendable, Equatable {
    /// The name of the collection and its table.
    package var name: String
    /// How many records it has.
    package var count: Int
    /// The sum of their hashes.
    package var digest: UInt64

    package init(name: String, count: Int, digest: UInt64) {
        self.name = name
        self.count = count
        self.digest = digest
    }

    init(name: String, _ count: RecordCount) {
        self.init(name: name, count: Int(count.count), digest: count.digest)
    }
}
