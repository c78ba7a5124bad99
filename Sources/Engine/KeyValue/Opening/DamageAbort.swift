import Synchronization

/// Whether LMDB is ending the process because of a damaged page. A handler of SIGABRT can tell it from other reasons.
package enum DamageAbort {
    private static let state = Atomic<Bool>(false)

    /// Async-signal-safe once it was read outside a signal handler.
    package static var isUnderWay: Bool { state.load(ordering: .relaxed) }

    static func begin() { state.store(true, ordering: .relaxed) }
}
