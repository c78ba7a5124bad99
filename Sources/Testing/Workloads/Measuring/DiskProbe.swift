import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Measures the disk itself, as a floor for durable operations.
public final class DiskProbe {
    private let descriptor: Int32
    private var writes: UInt8 = 0

    /// A disk measurement failed.
    public struct Failure: Error, CustomStringConvertible {
        let code: Int32
        /// What happened and what to do.
        public var description: String {
            "The disk could not be measured (system error \(code)). Free some space and try again."
        }
    }

    /// Creates a file beside a store's folder, on the same disk.
    init(besides path: String) throws {
        let file = path + ".flushed"
        descriptor = open(file, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        unlink(file)
        // The first write extends the file, unlike the others.
        _ = try timeFlush()
    }

    deinit {
        close(descriptor)
    }

    /// Times a write of 4 KiB and its flush, in nanoseconds.
    func timeFlush() throws -> Int64 {
        writes &+= 1
        let page = [UInt8](repeating: writes, count: 4096)
        var isDone = false
        let elapsed = ContinuousClock().measure {
            isDone = pwrite(descriptor, page, page.count, 0) == page.count && Self.flush(descriptor) == 0
        }
        guard isDone else { throw Failure(code: errno) }
        return elapsed.nanoseconds
    }

    /// Returns the disk space that the files of a folder occupy.
    public static func allocatedBytes(of folder: String) throws -> Int {
        var bytes = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            var information = stat()
            if stat("\(folder)/\(name)", &information) == 0 { bytes += Int(information.st_blocks) * 512 }
        }
        return bytes
    }

    private static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            fdatasync(descriptor)
        #else
            fcntl(descriptor, F_FULLFSYNC)
        #endif
    }
}

/// Real time, for measurements.
public enum Stopwatch {
    /// Returns how long a closure took in nanoseconds.
    public static func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
        try ContinuousClock().measure(body).nanoseconds
    }
}
