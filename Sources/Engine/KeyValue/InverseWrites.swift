import CLMDB

/// The way back for one closure of a group: what each entry was before the closure touched it.
///
/// Nested LMDB transactions would do the same, but 0.9.24 has known faults in them (crashes.md).
final class InverseWrites {
    private var steps: [(key: [UInt8], value: [UInt8]?, table: Table)] = []

    func remember(key: [UInt8], value: [UInt8]?, in table: Table) {
        steps.append((key, value, table))
    }

    /// Puts everything back, the last change first.
    func undo(in transaction: borrowing RawWriteTransaction) throws(KeyValueError) {
        for step in steps.reversed() {
            if let value = step.value {
                try unsafe transaction.put(step.key.span.bytes, value.span.bytes, in: step.table)
            } else {
                try unsafe transaction.delete(step.key.span.bytes, in: step.table)
            }
        }
    }
}
