import Glibc

/// A recorded call on a file of the recorded folder.
package struct DiskCall: Sendable, Equatable {
    package enum Kind: UInt32, Sendable, CaseIterable {
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

    package var kind: Kind
    /// The process that made the call.
    package var process: Int32
    /// The number of the opening it went through; 0 for calls by path. An open has the number that it returned.
    package var file: Int
    /// Relative to the recorded folder, which has the empty path.
    package var path: String
    /// The new path of a rename, or the second one of a link.
    package var otherPath: String
    /// The position in the file; the new size for a resize.
    package var offset: Int
    /// The number of requested bytes.
    package var length: Int
    /// The bytes that were written.
    package var bytes: [UInt8]
    /// Whether a write went through a descriptor that makes each write durable before it returns.
    package var isSynchronous: Bool
    /// The system's flags of an open or a rename.
    package var flags: UInt32
    /// The result, and the error number if it was -1.
    package var result: Int64
    package var error: Int32

    package init(
        kind: Kind, process: Int32 = 0, file: Int = 0, path: String = "", otherPath: String = "", offset: Int = 0,
        length: Int = 0, bytes: [UInt8] = [], isSynchronous: Bool = false, flags: UInt32 = 0, result: Int64 = 0,
        error: Int32 = 0
    ) {
        (self.kind, self.process, self.file) = (kind, process, file)
        (self.path, self.otherPath) = (path, otherPath)
        (self.offset, self.length, self.bytes) = (offset, length, bytes)
        (self.isSynchronous, self.flags) = (isSynchronous, flags)
        (self.result, self.error) = (result, error)
    }

    package var hasFailed: Bool { result < 0 }
    /// Whether it asked for a file that does not exist, such as the commit log of a store without one.
    package var findsNothing: Bool { kind == .open && error == ENOENT }
}

/// Makes calls of one kind on the recorded folder fail.
package struct DiskFault: Sendable, Equatable {
    package enum Effect: UInt32, Sendable, CaseIterable {
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
    package enum Limit: UInt32, Sendable {
        case any
        /// Writes that are durable when they return, such as those of LMDB's meta pages; opens that may write.
        case synchronousOrWriting
        /// All others.
        case others
    }

    package var kind: DiskCall.Kind
    package var effect: Effect
    /// The first call that fails, counted from 1 from now on.
    package var first: Int
    /// How many consecutive calls fail; 0 for all that follow.
    package var count: Int
    /// The error number.
    package var error: Int32
    package var only: Limit

    package init(
        kind: DiskCall.Kind, effect: Effect = .fails, first: Int = 1, count: Int = 1, error: Int32, only: Limit = .any
    ) {
        (self.kind, self.effect, self.first) = (kind, effect, first)
        (self.count, self.error, self.only) = (count, error, only)
    }
}
