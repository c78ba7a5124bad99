import CSystemCalls
import Glibc
import SystemErrors

/// An open file or folder: the number by which the system knows it. Whoever opens it closes it.
///
/// Calls that a signal interrupts are repeated. A call whose flush has failed must not be: the system considers the pages clean.
package struct FileDescriptor: Hashable, Sendable {
    /// What a file is opened for. A new one has mode 0600.
    package struct Access: Sendable {
        fileprivate let flags: Int32

        package static let reading = Access(flags: O_RDONLY)
        /// Reading without waiting for the writer of a pipe.
        package static let readingNow = Access(flags: O_RDONLY | O_NONBLOCK)
        package static let readingAndWriting = Access(flags: O_RDWR)
        /// Creates the file; fails if there is one.
        package static let creating = Access(flags: O_RDWR | O_CREAT | O_EXCL)
        /// Creates the file if there is none.
        package static let openingOrCreating = Access(flags: O_RDWR | O_CREAT)
        /// Creates the file if there is none, and removes what is in it.
        package static let overwriting = Access(flags: O_RDWR | O_CREAT | O_TRUNC)
        /// Opens a folder, to flush or to search it.
        package static let folder = Access(flags: O_RDONLY | O_DIRECTORY)
        /// Creates a file without a name in a folder (O_TMPFILE, which C defines in a way that Swift cannot import). Not all file
        /// systems can.
        package static let unnamed = Access(flags: 0o20_000_000 | O_DIRECTORY | O_RDWR)
    }

    /// The system's number.
    package let number: Int32

    /// The descriptor with this number.
    package init(_ number: Int32) {
        self.number = number
    }

    package static let standardInput = FileDescriptor(STDIN_FILENO)

    /// Opens a file or folder. Programs that this process starts do not inherit it.
    package init(_ path: String, for access: Access) throws(SystemCondition) {
        number = unsafe open(path, access.flags | O_CLOEXEC, 0o600)
        if number < 0 { throw .last }
    }

    /// A pipe: what is written to its start is read at its end. Programs that this process starts do not inherit it.
    package static func makePipe() throws(SystemCondition) -> (end: FileDescriptor, start: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        try check(unsafe pipe(&ends))
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (FileDescriptor(ends[0]), FileDescriptor(ends[1]))
    }

    /// A timer that can be read when the wall clock reaches a time or is set; nil when too many files are open, or the kernel
    /// has no such timers.
    package static func makeWallTimer(seconds: Int, microseconds: Int) -> FileDescriptor? {
        let timer = FileDescriptor(timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
        guard timer.number >= 0 else { return nil }
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: seconds, tv_nsec: microseconds * 1_000)
        let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
        guard unsafe timerfd_settime(timer.number, flags, &setting, nil) == 0 else {
            timer.close()
            return nil
        }
        return timer
    }

    /// A second descriptor of the same open file.
    package func duplicate() throws(SystemCondition) -> FileDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .last }
        return FileDescriptor(copy)
    }

    package func close() { _ = closeDescriptor(number) }

    /// Closes it and reports what the system could not write before. It is closed in any case.
    package func closeReportingErrors() throws(SystemCondition) {
        try check(closeDescriptor(number))
    }

    // MARK: Reading

    /// Reads what comes next into an array; returns how many bytes, 0 at the end.
    package func read(into bytes: inout [UInt8]) throws(SystemCondition) -> Int {
        try repeating { unsafe readBytes(number, &bytes, bytes.count) }
    }

    /// Reads from an offset into an array with one call; returns how many bytes, 0 behind the end.
    package func read(into bytes: inout [UInt8], at offset: Int) throws(SystemCondition) -> Int {
        try repeating { unsafe pread(number, &bytes, bytes.count, off_t(offset)) }
    }

    /// Fills an array from an offset, as far as the file goes; returns how many bytes.
    ///
    /// - Parameter start: the first place of the array to fill.
    package func fill(
        _ bytes: inout [UInt8], from start: Int = 0, at offset: Int
    ) throws(SystemCondition) -> Int {
        var done = start
        while done < bytes.count {
            let count = try repeating {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    let place = unsafe buffer.baseAddress.map { unsafe $0 + done }
                    return unsafe pread(number, place, buffer.count - done, off_t(offset + done - start))
                }
            }
            if count == 0 { break }
            done += count
        }
        return done - start
    }

    // MARK: Writing

    /// Writes all bytes, with as many calls as needed.
    package func write(_ bytes: [UInt8]) throws(SystemCondition) {
        try unsafe writeAll(bytes) { unsafe writeBytes(number, $0, $1) }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemCondition) {
        var place = offset
        try unsafe writeAll(bytes) { start, count in
            let written = unsafe pwrite(number, start, count, off_t(place))
            if written > 0 { place += written }
            return written
        }
    }

    private func writeAll(
        _ bytes: [UInt8], _ call: (_ start: UnsafeRawPointer?, _ count: Int) -> Int
    ) throws(SystemCondition) {
        var done = 0
        while done < bytes.count {
            let count = try repeating {
                unsafe bytes.withUnsafeBytes { buffer in
                    let start = unsafe buffer.baseAddress.map { unsafe $0 + done }
                    return unsafe call(start, buffer.count - done)
                }
            }
            // A call that writes nothing without an error has no space; repeating it might never end.
            guard count > 0 else { throw .noSpace }
            done += count
        }
    }

    /// Flushes the file, or the names in a folder.
    package func flush() throws(SystemCondition) { try check(fsync(number)) }

    /// Flushes the content and what is needed to read it.
    package func flushData() throws(SystemCondition) {
        try check(fdatasync(number))
    }

    /// Lets the system begin to write what has changed. Promises nothing.
    package func startWriteback() { start_writeback(number) }

    /// Cuts the file off behind a length.
    package func truncate(to length: Int) throws(SystemCondition) { try check(ftruncate(number, off_t(length))) }

    /// Makes the file at least so long, with all of its blocks.
    package func allocate(_ length: Int) throws(SystemCondition) {
        let code = posix_fallocate(number, 0, off_t(length))
        if code != 0 { throw SystemCondition(code) }
    }

    // MARK: What it is

    /// What is open, whatever has its name now.
    package var status: FileStatus {
        get throws(SystemCondition) {
            var information = stat()
            try check(unsafe fstat(number, &information))
            return FileStatus(information)
        }
    }

    /// Where the next bytes are read; nil for what has no positions, such as a pipe.
    package var position: Int? {
        let position = lseek(number, 0, SEEK_CUR)
        return position < 0 ? nil : Int(position)
    }

    private func repeating(_ call: () -> Int) throws(SystemCondition) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            let condition = SystemCondition.last
            if condition != .interrupted { throw condition }
        }
    }
}

/// Throws the condition of a call that has failed.
func check(_ result: Int32) throws(SystemCondition) {
    if result < 0 { throw .last }
}

// Inside of the type these names are those of its methods.
private func closeDescriptor(_ number: Int32) -> Int32 { close(number) }
private func readBytes(_ number: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(number, place, count)
}
private func writeBytes(_ number: Int32, _ place: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(number, place, count)
}
