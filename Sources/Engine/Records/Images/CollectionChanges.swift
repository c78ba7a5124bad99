/// Which records of a collection changed since a moment, and what the collection was then.
package struct CollectionChanges: Sendable, Equatable {
    /// The collection's name.
    package var name: String
    /// What it was at that moment, reckoned back from now. If it is not what was noted then, something was lost since
    /// without a trace, and the changes are not all.
    package var base: CollectionImage
    /// The keys of the records that are not now what they were then, ascending.
    package var keys: [[UInt8]]

    package init(name: String, base: CollectionImage, keys: [[UInt8]]) {
        self.name = name
        self.base = base
        self.keys = keys
    }
}
