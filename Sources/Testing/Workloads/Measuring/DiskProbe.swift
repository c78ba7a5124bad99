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
    static func bytesWritten(toDiskOf folder: String) -> Int {
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

/// Real time, for measurements.
public enum Stopwatch {
    /// Returns how long a closure took in nanoseconds.
    public static func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
        try ContinuousClock().measure(body).nanoseconds
    }

    /// Busy-waits and returns for how long, which is slightly longer than requested: a planted slowdown.
    static func spin(for nanoseconds: Int64) -> Int64 {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let elapsed = start.duration(to: clock.now).nanoseconds
            if elapsed >= nanoseconds { return elapsed }
        }
    }

    /// Returns how long a closure took in nanoseconds, suspensions included.
    package static func nanosecondsAwaiting(_ body: () async throws -> Void) async rethrows -> Int64 {
        try await ContinuousClock().measure(body).nanoseconds
    }
}

/// The times of two operations that run interleaved, so that disturbances of the machine affect both, in nanoseconds.
package struct PairedTimes: Sendable {
    private var ours: [Int64] = []
    private var theirs: [Int64] = []

    /// Creates a comparison without measurements.
    package init() {}

    /// Runs both and records the times that they return, after a tenth of the rounds unmeasured. The order alternates.
    package init(
        rounds: Int, ours: (_ round: Int) async throws -> Int64, theirs: (_ round: Int) async throws -> Int64
    ) async throws {
        for round in -rounds / 10..<rounds {
            let early = round % 2 == 0 ? try await ours(round + rounds / 10) : nil
            let other = try await theirs(round + rounds / 10)
            let own = if let early { early } else { try await ours(round + rounds / 10) }
            if round >= 0 { add(ours: own, theirs: other) }
        }
    }

    /// Adds one round.
    package mutating func add(ours own: Int64, theirs other: Int64) {
        ours.append(own)
        theirs.append(other)
    }

    /// The median times.
    package var medians: (ours: Int64, theirs: Int64) { (Timings(ours).median, Timings(theirs).median) }

    /// The median of the rounds' ratios, which is robust against slow periods of the machine.
    package var ratio: PairedRatio { PairedRatio(of: ours, to: theirs) }
}
