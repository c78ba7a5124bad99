import Glibc

/// A recorded call on a file of the recorded folder.
struct DiskCall: Sendable, Equatable {
    enum Kind: UInt32, Sendable, CaseIterable {
        case open = 1
        case close
        case write
        case resize
        case allocate
        case rename
        case remove
        case makeFolder
        case removeFolder
        case flush
        case flushData
        case flushMap
        case map
        case link
    }

    var kind: Kind
    /// The process that made the call.
    var process: Int32 = 0
    /// The number of the opening it went through; 0 for calls by path. An open has the number that it returned.
    var file: Int = 0
    /// Relative to the recorded folder, which has the empty path.
    var path = ""
    /// The new path of a rename, or the second one of a link.
    var otherPath = ""
    /// The position in the file; the new size for a resize.
    var offset = 0
    /// The number of requested bytes.
    var length = 0
    /// The bytes that were written.
    var bytes: [UInt8] = []
    /// Whether a write went through a descriptor that makes each write durable before it returns.
    var isSynchronous = false
    /// The system's flags of an open or a rename.
    var flags: UInt32 = 0
    /// The result, and the error number if it was -1.
    var result: Int64 = 0
    var error: Int32 = 0

    var hasFailed: Bool { result < 0 }
    /// Whether it asked for a file that does not exist, such as the commit log of a store without one.
    var findsNothing: Bool { kind == .open && error == ENOENT }
}

/// Makes calls of one kind on the recorded folder fail.
struct DiskFault: Sendable, Equatable {
    enum Effect: UInt32, Sendable, CaseIterable {
        /// The call is not made.
        case fails
        /// A write writes half of its bytes and returns their number. No effect on other calls.
        case writesShort
        /// The call is made but reports the error.
        case failsAfter
        /// The process is killed before the call. Counts all writes and flushes, whatever the kind.
        case kills
    }

    /// Which calls of the kind are affected.
    enum Limit: UInt32, Sendable {
        case any
        /// Writes that are durable when they return, such as those of LMDB's meta pages; opens that may write.
        case synchronousOrWriting
        /// All others.
        case others
    }

    var kind: DiskCall.Kind
    var effect: Effect = .fails
    /// The first call that fails, counted from 1 from now on.
    var first = 1
    /// How many consecutive calls fail; 0 for all that follow.
    var count = 1
    /// The error number.
    var error: Int32
    var only: Limit = .any
}
