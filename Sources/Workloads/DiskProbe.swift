import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the disk itself takes, to set beside what we take.
enum DiskProbe {
    /// The disk refused.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String {
            "The disk could not be measured (system error \(code)). Free some space and try again."
        }
    }

    /// Times writes of 4 KiB, each flushed, in a file of their own.
    static func timeFlushes(in folder: String, count: Int) throws -> Timings {
        let descriptor = open(folder + "/flushed", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        let clock = ContinuousClock()
        var nanoseconds: [Int64] = []
        for round in 0..<(count + 1) {
            let page = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 4096)
            var isDone = false
            let elapsed = clock.measure {
                isDone = pwrite(descriptor, page, page.count, 0) == page.count && flush(descriptor) == 0
            }
            guard isDone else { throw Failure(code: errno) }
            // The first write makes the file longer, which the others do not.
            if round > 0 { nanoseconds.append(elapsed.nanoseconds) }
        }
        return Timings(nanoseconds)
    }

    /// What the files of a folder take on the disk.
    static func allocatedBytes(of folder: String) throws -> Int {
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
