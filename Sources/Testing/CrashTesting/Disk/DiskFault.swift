/// Calls of one kind that fail, on the recorded folder only.
struct DiskFault: Sendable, Equatable {
    enum Effect: UInt32, Sendable, CaseIterable {
        /// The call is not made.
        case fails
        /// A write writes half of its bytes, and says so. Nothing for other calls.
        case writesShort
        /// The call is made, and then reported as failed all the same.
        case failsAfter
    }

    /// Which calls of the kind are meant.
    enum Limit: UInt32, Sendable {
        case any
        /// Writes that are durable when they return, as those of LMDB's meta pages; opens that may write.
        case synchronousOrWriting
        /// The others.
        case others
    }

    var kind: DiskCall.Kind
    var effect: Effect = .fails
    /// The first call that fails, counted from 1 from now on.
    var first = 1
    /// How many in a row fail; 0 for all that follow.
    var count = 1
    /// The error's number.
    var error: Int32
    var only: Limit = .any
}
