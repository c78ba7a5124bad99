import FileSystem
import Processes
import Threading

/// The machine's zone: `$TZ`, else what `/etc/localtime` names, also where `$TZ` is no zone; UTC where neither is one. See
/// ``Zone/system()``.
///
/// On Linux it detects that `/etc/localtime` was replaced: one kernel watch for all waiting tasks, none while nothing
/// waits. When `$TZ` names another zone there is nothing to watch, since only the process itself can change it. Where the kernel
/// refuses a watch, and on Darwin, a wait ends only when it is cancelled: the zone is correct whenever it is read, but
/// changes are not reported.
public final class SystemZoneSource: ZoneSource {
    /// The one of this process.
    public static let shared = SystemZoneSource(
        localtimePath: SystemZone.localtimePath, variable: { CurrentProcess.variable("TZ") }, SystemZone.shared)

    private struct Watching {
        var waiterCount = 0
        var watch: FolderWatch?
    }

    private let localtimePath: String
    private let variable: @Sendable () -> String?
    private let system: SystemZone
    private let signal = Signal()
    private let watching = ForkSafeMutex(Watching())

    init(localtimePath: String, variable: @escaping @Sendable () -> String?, _ system: SystemZone = SystemZone()) {
        self.localtimePath = localtimePath
        self.variable = variable
        self.system = system
    }

    /// The machine's current zone. Looked up at each call, and parsed again only when it has changed.
    public var zone: Zone {
        system.usableZone(variable(), localtimePath: localtimePath)
    }

    /// Returns when the machine's zone is no longer this one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForChange(from zone: Zone) async throws {
        begin()
        defer { end() }
        while true {
            // Watches before it checks, so that a change in between is not missed.
            let generation = signal.generation
            guard self.zone == zone else { return }
            try await signal.wait(past: generation)
        }
    }

    /// How many tasks are waiting.
    var waiterCount: Int { signal.waiterCount }

    /// Whether a descriptor is open.
    var isWatching: Bool { watching.withLock { $0.watch != nil } }

    private func begin() {
        watching.withLock { watching in
            watching.waiterCount += 1
            guard watching.watch == nil, system.followsLocaltime(variable(), localtimePath: localtimePath) else {
                return
            }
            // Watches the folder, since the file is replaced and not rewritten. Other events there are ignored.
            let folder = localtimePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            watching.watch = FolderWatch(folder.joined(separator: "/")) { [signal] in signal.raise() }
        }
    }

    private func end() {
        watching.withLock { watching in
            watching.waiterCount -= 1
            guard watching.waiterCount == 0 else { return }
            watching.watch?.stop()
            watching.watch = nil
        }
    }
}
