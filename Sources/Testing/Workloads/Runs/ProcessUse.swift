import FoundationEssentials
import Glibc
import Measuring
import Threading

/// What this process has used so far.
enum ProcessUse {
    /// CPU time in nanoseconds, of all threads, in the kernel and outside.
    static var cpuTime: Int64 {
        // POSIX counts it in microseconds.
        Int64(clock()) * 1000
    }

    /// Memory without a file (`RssAnon`) in bytes; 0 where the system does not say. The store's mapped pages are the system's
    /// cache and not in it.
    static var memory: Int { KernelText(of: "/proc/self/status").bytes("RssAnon") }

    /// Does nothing for a while: the measurement is of what the process does by itself meanwhile.
    static func wait(nanoseconds: Int64) {
        _ = poll(nil, 0, Int32(clamping: nanoseconds / 1_000_000))
    }
}

/// Whether background work has ended.
final class WorkProgress: Sendable {
    private let ended = ForkSafeMutex(false)

    var hasEnded: Bool { ended.withLock { $0 } }

    func end() { ended.withLock { $0 = true } }
}
