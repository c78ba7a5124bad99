import CDiskLog
import Glibc

/// The recorder of this process and its forked children: every call on files of one folder, in order.
///
/// There is one per process, since it replaces libc's file calls.
package enum DiskLog {
    /// An entry of the log.
    package enum Entry: Sendable, Equatable {
        /// A call on a file, after it returned.
        case call(DiskCall)
        /// A note of the recording program.
        case mark(kind: UInt32, value: Int64, process: Int32)
    }

    /// Begins a recording of an existing folder, with an empty log and no fault. Files that are already open are not
    /// followed.
    package static func begin(folder: String) throws(CrashLabError) {
        let code = disk_log_begin(folder)
        guard code == 0 else { throw .recordingRefused(folder: folder, code: code) }
    }

    /// Ends the recording, also for child processes. The log remains until the next one begins.
    package static func end() {
        disk_log_end()
    }

    /// Ends recording and faults for this process only, which may then begin its own recording.
    package static func detach() {
        disk_log_leave()
    }

    /// Adds a mark to the log.
    package static func note(kind: UInt32, value: Int64) {
        disk_log_note(kind, value)
    }

    /// Returns all entries so far.
    package static func entries() throws(CrashLabError) -> [Entry] {
        guard !disk_log_overflowed() else { throw .logOverflowed }
        var entries: [Entry] = []
        var cursor: UInt64 = 0
        while let entry = next(after: &cursor) { entries.append(entry) }
        return entries
    }

    /// Whether the log was too small; the recording is then unusable.
    package static var hasOverflowed: Bool { disk_log_overflowed() }

    /// Returns the entry after a cursor that starts at 0; nil at the current end of the log.
    ///
    /// - Parameter withBytes: whether to copy the written bytes, which is the expensive part.
    package static func next(after cursor: inout UInt64, withBytes: Bool = true) -> Entry? {
        var entry = disk_log_entry()
        guard disk_log_next(&cursor, &entry) else { return nil }
        return Entry(&entry, withBytes: withBytes)
    }

    // MARK: Faults

    /// Makes calls fail from now on; replaces the previous fault.
    package static func setFault(_ fault: DiskFault) {
        var fault = disk_log_fault(
            kind: fault.kind.rawValue, effect: fault.effect.rawValue, first: UInt64(fault.first),
            count: UInt64(fault.count), error: fault.error, only: fault.only.rawValue)
        disk_log_set_fault(&fault)
    }

    package static func clearFault() {
        disk_log_clear_fault()
    }

    /// How many calls the fault has matched so far.
    package static var faultMatchCount: Int { Int(disk_log_fault_met()) }
    /// How many calls it made fail.
    package static var faultHitCount: Int { Int(disk_log_fault_hit()) }

    // MARK: Pages

    /// Begins to count the pages of a file's map that this process reads, starting at page `first`. The file must have
    /// been opened and mapped since the recording began. Returns false on systems whose pages are larger.
    package static func watchPages(of file: String, pageSize: Int, from first: Int) throws(CrashLabError) -> Bool {
        let code = disk_log_watch_pages_begin(file, pageSize, first)
        guard code == 0 || code == ENOTSUP else { throw .pagesNotCounted(file: file, code: code) }
        return code == 0
    }

    /// Ends the count; returns the number of distinct pages read.
    package static func endWatchingPages() throws(CrashLabError) -> Int {
        var count: UInt64 = 0
        let code = disk_log_watch_pages_end(&count)
        guard code == 0 else { throw .pagesNotCounted(file: "the watched file", code: code) }
        return Int(count)
    }

    // MARK: Processes

    /// Forks a child process that is recorded, too. Returns its id, and 0 in the child, which has only the calling
    /// thread: anything that needs other threads, such as Swift tasks, does not run there.
    ///
    /// - Parameter inNamespace: whether the child is process 1 of a new PID namespace.
    package static func fork(inNamespace: Bool = false) throws(CrashLabError) -> Int32 {
        let process = inNamespace ? disk_log_fork_in_namespace() : disk_log_fork()
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
