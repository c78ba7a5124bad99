/// One call on files of the recorded folder, as it returned.
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
    /// The process that made it.
    var process: Int32 = 0
    /// Which opening of a file it went through; 0 for calls by path. An open has the number that it gave out.
    var file: Int = 0
    /// Relative to the recorded folder, which itself has the empty path.
    var path = ""
    /// The new path of a rename, or the second one of a link.
    var otherPath = ""
    /// Where in the file; the new size for a resize.
    var offset = 0
    /// How many bytes were asked for.
    var length = 0
    /// What was really written.
    var bytes: [UInt8] = []
    /// Whether a write went through a descriptor that makes each write durable before it returns.
    var isSynchronous = false
    /// The flags of an open or a rename, as the system defines them.
    var flags: UInt32 = 0
    /// What it returned, and the error's number when that was -1.
    var result: Int64 = 0
    var error: Int32 = 0

    var hasFailed: Bool { result < 0 }
}
