import Synchronization
import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The observers of commits: notified directly of commits of this process, and through a file watch of those of others.
final class CommitObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextIdentifier = 0
        var watch: FileWatch?
        var isStopped = false
    }

    private let handle: EnvironmentHandle
    private let state = ForkSafeMutex(State())
    /// The last transaction that was reported to the observers, so that the watch does not repeat commits of this
    /// process.
    private let lastReported = Atomic<UInt64>(0)

    init(handle: EnvironmentHandle) {
        self.handle = handle
    }

    func add(_ notify: @escaping @Sendable () -> Void) throws(KeyValueError) -> CommitObservation {
        let handle = handle
        let last = handle.statistics.lastTransaction
        let identifier = try state.withLock { (state) throws(KeyValueError) -> Int in
            guard !state.isStopped else { throw .closed }
            if state.watch == nil {
                lastReported.store(last, ordering: .relaxed)
                // Watching costs a thread, so it starts with the first observer; the thread sleeps in the kernel.
                state.watch = try FileWatch(path: "\(handle.path)/\(StoreFolder.dataFile)") { [weak self] in
                    self?.fileChanged()
                }
            }
            state.nextIdentifier += 1
            state.observers[state.nextIdentifier] = notify
            return state.nextIdentifier
        }
        return CommitObservation { [weak self] in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: identifier) }
        }
    }

    func committed() {
        guard state.withLock({ !$0.observers.isEmpty }) else { return }
        lastReported.store(handle.statistics.lastTransaction, ordering: .relaxed)
        notifyAll()
    }

    private func fileChanged() {
        // The commits of others are in the new file.
        handle.followCompaction()
        let last = handle.statistics.lastTransaction
        guard lastReported.exchange(last, ordering: .relaxed) != last else { return }
        notifyAll()
    }

    /// In the order in which they came, so that the same run has the same order.
    private func notifyAll() {
        let observers = state.withLock { $0.observers }
        for (_, notify) in observers.sorted(by: { $0.key < $1.key }) { notify() }
    }

    func stop() {
        let watch = state.withLock { state in
            state.isStopped = true
            state.observers.removeAll()
            defer { state.watch = nil }
            return state.watch
        }
        watch?.stop()
    }
}

/// Keeps an observation of commits alive; it ends when this value goes.
public final class CommitObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// Calls a closure when a file was written to, by any process. A thread that sleeps in the kernel until then.
final class FileWatch: Sendable {
    #if os(Linux)
        private let stopPipe: Int32

        init(path: String, _ changed: @escaping @Sendable () -> Void) throws(KeyValueError) {
            let notifier = inotify_init1(Int32(IN_CLOEXEC))
            guard notifier >= 0 else { throw .refused("watch the store", code: errno) }
            var ends: [Int32] = [-1, -1]
            guard Self.watch(path, by: notifier), unsafe pipe(&ends) == 0
            else {
                let code = errno
                close(notifier)
                throw .refused("watch the store", code: code)
            }
            // Not for child processes: an end that one of them holds would keep the thread from waking.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let stopSignal = ends[0]
            stopPipe = ends[1]
            let code = startDetachedThread {
                Self.run(path: path, notifier: notifier, stopSignal: stopSignal, changed)
            }
            guard code == 0 else {
                for descriptor in [notifier, stopSignal, stopPipe] { close(descriptor) }
                throw .refused("watch the store", code: code)
            }
        }

        func stop() {
            // Closing the writing end wakes the thread, which closes the rest.
            close(stopPipe)
        }

        /// Watches the file that has the path now; does nothing if it is watched already. A file that another one
        /// replaces loses a link, which changes its attributes.
        private static func watch(_ path: String, by notifier: Int32) -> Bool {
            unsafe inotify_add_watch(notifier, path, UInt32(IN_MODIFY | IN_ATTRIB)) >= 0
        }

        private static func run(path: String, notifier: Int32, stopSignal: Int32, _ changed: () -> Void) {
            defer {
                close(notifier)
                close(stopSignal)
            }
            var descriptors = [
                pollfd(fd: notifier, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
            ]
            var events = [UInt8](repeating: 0, count: 4096)
            while true {
                if unsafe poll(&descriptors, 2, -1) < 0 {
                    if errno == EINTR { continue }
                    return
                }
                if descriptors[1].revents != 0 { return }
                guard descriptors[0].revents != 0 else { continue }
                // The kind of event does not matter: all pending events are read and reported once.
                guard unsafe read(notifier, &events, events.count) > 0 || errno == EINTR else { return }
                // Before the report: what is committed to a new file from now on is an event of its own.
                _ = watch(path, by: notifier)
                changed()
            }
        }
    #else
        init(path: String, _ changed: @escaping @Sendable () -> Void) throws(KeyValueError) {
            throw .system(operation: "watch the store on this system", code: ENOTSUP)
        }

        func stop() {}
    #endif
}
