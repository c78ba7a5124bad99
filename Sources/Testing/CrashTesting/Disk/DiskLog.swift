import CDiskLog

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The recorder of this process and its forked children: every call on files of one folder, in the order made.
///
/// There is one per process, since it takes the place of libc's file calls.
enum DiskLog {
    /// What the log says, one after the other.
    enum Entry: Sendable, Equatable {
        /// A call on a file, as it returned.
        case call(DiskCall)
        /// Something that the recording program said.
        case mark(kind: UInt32, value: Int64, process: Int32)
    }

    /// Begins a recording for a folder that exists. The log is empty then, and no fault is set. Files that are open
    /// already are not followed.
    static func begin(folder: String) throws(CrashLabError) {
        let code = disk_log_begin(folder)
        guard code == 0 else { throw .recordingRefused(folder: folder, code: code) }
    }

    /// Ends the recording, for the children too. The log stays until the next one begins.
    static func end() {
        disk_log_end()
    }

    /// Ends recording and faults for this process alone, which may then begin a recording of its own.
    static func leave() {
        disk_log_leave()
    }

    /// Puts a mark into the log.
    static func note(kind: UInt32, value: Int64) {
        disk_log_note(kind, value)
    }

    /// Everything logged so far.
    static func entries() throws(CrashLabError) -> [Entry] {
        guard !disk_log_overflowed() else { throw .logOverflowed }
        var entries: [Entry] = []
        var cursor: UInt64 = 0
        while let entry = next(after: &cursor) { entries.append(entry) }
        return entries
    }

    /// Whether more was written than the log holds: the recording is then worth nothing.
    static var hasOverflowed: Bool { disk_log_overflowed() }

    /// The entry after a cursor that starts at 0; nil at the end of what is logged so far.
    ///
    /// - Parameter withBytes: whether what was written is wanted: copying it is what costs.
    static func next(after cursor: inout UInt64, withBytes: Bool = true) -> Entry? {
        var entry = disk_log_entry()
        guard disk_log_next(&cursor, &entry) else { return nil }
        return Entry(&entry, withBytes: withBytes)
    }

    // MARK: Faults

    /// Makes calls fail from now on; takes the place of the fault before.
    static func setFault(_ fault: DiskFault) {
        var fault = disk_log_fault(
            kind: fault.kind.rawValue, effect: fault.effect.rawValue, first: UInt64(fault.first),
            count: UInt64(fault.count), error: fault.error, only: fault.only.rawValue)
        disk_log_set_fault(&fault)
    }

    static func clearFault() {
        disk_log_clear_fault()
    }

    /// How many calls the fault has met so far.
    static var faultMet: Int { Int(disk_log_fault_met()) }
    /// How many calls it made fail.
    static var faultHit: Int { Int(disk_log_fault_hit()) }

    // MARK: Pages

    /// Begins to count the pages of a file's map that this process looks at, from a page on. The file must have been opened
    /// and mapped since the recording began. False where such pages cannot be told apart.
    static func watchPages(of file: String, pageSize: Int, from first: Int) throws(CrashLabError) -> Bool {
        let code = disk_log_watch_pages_begin(file, pageSize, first)
        guard code == 0 || code == ENOTSUP else { throw .pagesNotCounted(file: file, code: code) }
        return code == 0
    }

    /// Ends it; how many different pages were looked at.
    static func endWatchingPages() throws(CrashLabError) -> Int {
        var count: UInt64 = 0
        let code = disk_log_watch_pages_end(&count)
        guard code == 0 else { throw .pagesNotCounted(file: "the watched file", code: code) }
        return Int(count)
    }

    // MARK: Processes

    /// Makes a child process that is recorded too. Returns its number, and 0 in the child, which has only the calling
    /// thread: what needs others, as Swift's tasks do, stands still there.
    static func fork() throws(CrashLabError) -> Int32 {
        let process = disk_log_fork()
        guard process >= 0 else { throw .forkFailed(code: errno) }
        return process
    }
}

extension DiskLog.Entry {
    fileprivate init(_ entry: inout disk_log_entry, withBytes: Bool) {
        guard let kind = DiskCall.Kind(rawValue: entry.kind) else {
            self = .mark(kind: entry.flags, value: entry.offset, process: entry.process)
            return
        }
        var path = [UInt8](repeating: 0, count: Int(entry.path_length))
        var otherPath = [UInt8](repeating: 0, count: Int(entry.other_path_length))
        var bytes = [UInt8](repeating: 0, count: withBytes ? Int(entry.byte_count) : 0)
        disk_log_copy_path(&entry, &path)
        disk_log_copy_other_path(&entry, &otherPath)
        if withBytes { disk_log_copy_bytes(&entry, &bytes) }
        self = .call(
            DiskCall(
                kind: kind, process: entry.process, file: Int(entry.file), path: String(decoding: path, as: UTF8.self),
                otherPath: String(decoding: otherPath, as: UTF8.self), offset: Int(entry.offset),
                length: Int(entry.length), bytes: bytes, isSynchronous: kind == .write && entry.flags == 1,
                flags: kind == .write ? 0 : entry.flags, result: entry.result, error: entry.error))
    }
}
