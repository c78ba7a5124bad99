import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file without a name, for what does not fit into memory. It disappears with this value or with the process. Used from
/// one thread at a time.
package final class ScratchFile {
    /// How many bytes it has.
    package private(set) var count = 0
    private let descriptor: Int32
    private let folder: String
    /// The number of files that this process has begun, which makes their names unique in it.
    private static let number = Atomic<Int>(0)

    /// Creates it, on the file system of a folder, with mode 0600.
    package init(in folder: String) throws(KeyValueError) {
        self.folder = folder
        var (path, opened) = ("", Int32(-1))
        repeat {
            path = "\(folder)/scratch-\(getpid())-\(Self.number.add(1, ordering: .relaxed).newValue)"
            opened = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            // A process with the same id, perhaps in another container, has made a file of this name.
        } while opened < 0 && errno == EEXIST
        descriptor = opened
        guard descriptor >= 0 else { throw Self.error("create a file", in: folder) }
        unsafe unlink(path)
    }

    deinit {
        close(descriptor)
    }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(KeyValueError) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                let start = unsafe buffer.baseAddress.map { unsafe $0 + done }
                return unsafe pwrite(descriptor, start, buffer.count - done, off_t(count + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.error("write a file", in: folder) }
            done += written
        }
        count += bytes.count
    }

    /// Appends up to `limit` bytes from an offset to an array.
    package func read(_ limit: Int, at offset: Int, to bytes: inout [UInt8]) throws(KeyValueError) {
        let start = bytes.count
        let end = start + min(limit, count - offset)
        bytes.append(contentsOf: repeatElement(0, count: end - start))
        var done = start
        while done < end {
            let found = unsafe bytes.withUnsafeMutableBytes { buffer in
                let place = unsafe buffer.baseAddress.map { unsafe $0 + done }
                return unsafe pread(descriptor, place, end - done, off_t(offset + done - start))
            }
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { throw Self.error("read a file", in: folder) }
            done += found
        }
    }

    private static func error(_ operation: String, in folder: String) -> KeyValueError {
        .refused(operation, on: folder, code: errno)
    }
}
