/// A record that stays in the place of a deleted one of another collection, under the same key, with a field `deletedAt`.
package protocol TombstoneRecord {
    /// The name of that collection.
    static var recordsOfTombstones: String { get }
}
