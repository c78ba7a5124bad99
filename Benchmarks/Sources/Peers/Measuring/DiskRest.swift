import CRawLMDB
import Glibc

/// Waits before a run until the disk has written what earlier runs left in the system's cache: otherwise a flush waits
/// for the pages of another contestant.
final class DiskRest {
    private let probe: Int32
    /// A probe of at most so many nanoseconds finds the disk at rest.
    private let limit: Double
    /// How often it waited, and how often the disk was not at rest in the end.
    private(set) var waits = 0, restless = 0

    /// The disk may take so many times its usual time for a flush.
    private static let tolerance = 1.25
    private static let usualProbes = 100
    /// So many in a row must be at the floor, and so many are made at most: some milliseconds.
    private static let inRow = 2, mostProbes = 50

    /// Learns what a flush takes on the disk of a folder when nothing else is written.
    init(besides path: String) throws {
        probe = open("\(path)/probe", O_RDWR | O_CREAT, 0o600)
        guard probe >= 0 else { throw PeerFailure("no file can be created in \(path)") }
        unlink("\(path)/probe")
        sync()
        let times = try (0..<Self.usualProbes).map { [probe] _ in try Self.flush(probe) }
        limit = times.median * Self.tolerance
    }

    deinit {
        close(probe)
    }

    /// Writes everything that the system has in memory, and waits until flushes are as fast as usual, within a
    /// bound.
    func wait() throws {
        sync()
        waits += 1
        var fast = 0
        for _ in 0..<Self.mostProbes {
            fast = try Self.flush(probe) <= limit ? fast + 1 : 0
            if fast == Self.inRow { return }
        }
        restless += 1
    }

    private static func flush(_ file: Int32) throws -> Double {
        var code: Int32 = 0
        let elapsed = ContinuousClock().measure { code = raw_flush(file) }
        guard code == 0 else { throw PeerFailure("the disk refused a flush") }
        return elapsed.nanoseconds
    }

    /// How it went, for the results.
    var text: String {
        "Before each run everything was written to the disk, and flushes were as fast as usual again"
            + (restless == 0
                ? "." : ", but before \(restless.grouped) of \(waits.grouped) runs, where the wait was given up.")
    }
}
