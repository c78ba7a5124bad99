/// Why bytes are no part of a snapshot. The reader knows the file and makes an `FileError` of it.
struct SnapshotDamage: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
