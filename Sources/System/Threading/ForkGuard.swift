import Glibc
import Synchronization

/// Detects whether this process is the one that opened a store: LMDB's locks and map do not survive `fork`.
package enum ForkGuard {
    private static let forks = Atomic<Int>(0)
    private static let lockedDescriptors = LockedDescriptors()

    private static let installed: Void = {
        _ = pthread_atfork(
            { ForkGuard.lockedDescriptors.monitor.lock() },
            { ForkGuard.lockedDescriptors.monitor.unlock() },
            {
                ForkGuard.lockedDescriptors.closeAll()
                ForkGuard.lockedDescriptors.monitor.unlock()
                ForkGuard.forks.add(1, ordering: .relaxed)
            })
    }()

    /// Changes in the child of a fork. A counter, since asking for the process number at each read costs a system call.
    package static var generation: Int {
        _ = installed
        return forks.load(ordering: .relaxed)
    }

    /// Closes a descriptor in every child of a fork from now on. A lock of `flock` ends when the last process that
    /// inherited its descriptor has closed it, so a child that kept one would keep the lock of a parent that is gone.
    package static func closeInChildren(_ descriptor: Int32) {
        _ = installed
        lockedDescriptors.insert(descriptor)
    }

    /// Ends `closeInChildren`, before the descriptor is closed here.
    package static func forget(_ descriptor: Int32) {
        lockedDescriptors.remove(descriptor)
    }
}

/// The descriptors that hold a lock. Locked during a fork, so that the child finds the list consistent.
private final class LockedDescriptors: @unchecked Sendable {  // the list is guarded by the monitor
    let monitor = Monitor()
    private var descriptors: [Int32] = []

    func insert(_ descriptor: Int32) {
        monitor.withLock { descriptors.append(descriptor) }
    }

    func remove(_ descriptor: Int32) {
        monitor.withLock { descriptors.removeAll { $0 == descriptor } }
    }

    /// In the child alone, where the forking thread holds the lock.
    func closeAll() {
        for descriptor in descriptors { close(descriptor) }
        descriptors.removeAll()
    }
}
