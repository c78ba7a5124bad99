import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Tells whether this process is the one that opened a store: LMDB's locks and map do not survive `fork`.
package enum ForkGuard {
    private static let forks = Atomic<Int>(0)

    private static let installed: Void = {
        _ = pthread_atfork(nil, nil) { ForkGuard.forks.add(1, ordering: .relaxed) }
    }()

    /// Changes in the child of a fork. A counter, since asking for the process number at each read costs a system call.
    package static var generation: Int {
        _ = installed
        return forks.load(ordering: .relaxed)
    }
}
