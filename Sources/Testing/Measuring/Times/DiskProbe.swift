import FoundationEssentials
import Glibc
import SystemErrors

/// Measures the disk itself, as a floor for durable operations.
public final class DiskProbe {
    private let descriptor: Int32
    private var writes: UInt8 = 0

    /// A disk measurement failed.
    public struct Failure: Error, CustomStringConvertible {
        let code: Int32
        /// What happened and what to do.
        public var description: String {
            "The disk could not be measured: \(SystemCondition(code)). Free some space and try again."
        }
    }

    /// Creates a file beside a store's folder, on the same disk.
    package init(besides path: String) throws {
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
    package func timeFlush() throws -> Int64 {
        writes &+= 1
        let page = [UInt8](repeating: writes, count: 4096)
        var isDone = false
        let elapsed = ContinuousClock().measure {
            isDone = pwrite(descriptor, page, page.count, 0) == page.count && fdatasync(descriptor) == 0
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

    /// Returns the bytes that the disk of a folder was given since the machine started, by anybody; 0 where the system does not say.
    ///
    /// What the kernel counts for a process (`write_bytes`) is not used: it was 460 kB for a create of which the disk got 146.
    package static func bytesWritten(toDiskOf folder: String) -> Int {
        var information = stat()
        guard stat(folder, &information) == 0 else { return 0 }
        // `gnu_dev_major` and `gnu_dev_minor` of glibc (sysmacros.h), which are macros.
        let device = UInt64(information.st_dev)
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        let text = KernelText(of: "/sys/dev/block/\(major):\(minor)/stat").text
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        // The seventh counts sectors of 512 bytes (Documentation/block/stat.rst of the kernel).
        return numbers.count > 6 ? numbers[6] * 512 : 0
    }
}
