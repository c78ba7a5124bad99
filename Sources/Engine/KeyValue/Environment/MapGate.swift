import Threading

/// The barrier behind which the map changes its size.
///
/// LMDB may only remap while no transaction of this process is live: a reader would be left with addresses of the old
/// map. Every transaction passes through the gate; a change of size waits until all have left and blocks new ones in
/// the meantime. A thread that is already inside may enter again, since the change waits for its outer transaction
/// anyway; otherwise they would deadlock.
final class MapGate: @unchecked Sendable {  // all state is guarded by the monitor
    private let monitor = Monitor()
    private var state = State()

    /// The state of the gate; tests wait for it.
    struct State {
        /// Transactions that are live.
        var inside = 0
        /// Threads that wait for the end of a change.
        var waiting = 0
        /// Whether a change waits for the transactions to end, or is under way.
        var isChanging = false
        /// Changes that are over.
        var changeCount = 0
    }

    var current: State { monitor.withLock { state } }

    /// Depth of this thread's nesting, over all environments: entering past a waiting change only delays it.
    private static let depthSlot = unsafe ThreadSlot()

    private static var depth: Int {
        get {
            let stored = unsafe Int(bitPattern: depthSlot.pointer)
            // Transactions that were open at the fork belong to the parent.
            return stored >> 16 == ForkGuard.generation ? stored & 0xFFFF : 0
        }
        set {
            let stored = ForkGuard.generation << 16 | newValue
            unsafe depthSlot.pointer = UnsafeMutableRawPointer(bitPattern: stored)
        }
    }

    /// Whether this thread is inside a transaction already.
    static var isNested: Bool { depth > 0 }

    func enter() {
        let nested = Self.isNested
        monitor.withLock {
            while state.isChanging && !nested {
                state.waiting += 1
                monitor.wait()
                state.waiting -= 1
            }
            state.inside += 1
        }
        Self.depth += 1
    }

    func leave() {
        Self.depth -= 1
        monitor.withLock {
            state.inside -= 1
            if state.inside == 0 { monitor.wakeAll() }
        }
    }

    /// Runs `change` while no transaction of this process is live. Never call it from inside one.
    func whileEmpty<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
        try monitor.withLock { () throws(Failure) -> Result in
            while state.isChanging { monitor.wait() }
            state.isChanging = true
            defer {
                state.isChanging = false
                state.changeCount += 1
                monitor.wakeAll()
            }
            while state.inside > 0 { monitor.wait() }
            return try change()
        }
    }

    /// Runs `change` at once; does nothing while any transaction of this process is live.
    func ifEmpty(_ change: () -> Void) {
        monitor.withLock {
            guard !state.isChanging, state.inside == 0 else { return }
            state.isChanging = true
            change()
            state.isChanging = false
            state.changeCount += 1
            monitor.wakeAll()
        }
    }
}
