/// A change that no flush has made durable yet, as it stands in reports.
struct PendingUnit: Sendable, CustomStringConvertible {
    let change: DiskChange
    /// For instance "write data.mdb page 3", by the path at the time.
    let description: String
    /// A flush of it has failed: the system holds it for written, so that no later flush is about it.
    var isForgotten = false

    /// The write, where it is one.
    var write: PageWrite? {
        if case .write(let write) = change { write } else { nil }
    }
}
