#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that grows by whole lines, open and locked against other processes that add to it.
struct HistoryFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Opens a file, which is made when it is not there, and waits for whoever has it.
    init(_ path: String) throws(RunHistoryError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system(path: path, code: errno) }
        while flock(descriptor, LOCK_EX) != 0 {
            if errno != EINTR { throw .system(path: path, code: errno) }
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// All that is in it.
    func contents() throws(RunHistoryError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(all.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(path: path, code: errno) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    /// Forgets what lies behind so many bytes.
    func cut(to size: Int) throws(RunHistoryError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .system(path: path, code: errno) }
    }

    /// Adds bytes at the end, in one call, and waits until they are on the disk.
    func append(_ bytes: [UInt8]) throws(RunHistoryError) {
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw .system(path: path, code: errno)
        }
    }
}
