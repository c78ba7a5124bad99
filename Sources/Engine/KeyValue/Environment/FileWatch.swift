import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Calls a closure when a file was written to, by any process. A thread that sleeps in the kernel until then.
final class FileWatch: Sendable {
    #if os(Linux)
        private let stopPipe: Int32

        /// Begins to watch.
        ///
        /// - Parameter changed: called at the beginning and after each event; returns whether it has dealt with it. Otherwise it is called again soon,
        ///   without another event.
        init(path: String, _ changed: @escaping @Sendable () -> Bool) throws(KeyValueError) {
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

        private static func run(path: String, notifier: Int32, stopSignal: Int32, _ changed: () -> Bool) {
            defer {
                close(notifier)
                close(stopSignal)
            }
            var descriptors = [
                pollfd(fd: notifier, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopSignal, events: Int16(POLLIN), revents: 0),
            ]
            var events = [UInt8](repeating: 0, count: 4096)
            // In milliseconds; -1 waits for an event. It grows, since a process that was stopped can stay so for long. The first
            // call is for what was written before the watch.
            var patience: Int32 = 0
            while true {
                if unsafe poll(&descriptors, 2, patience) < 0 {
                    if errno == EINTR { continue }
                    return
                }
                if descriptors[1].revents != 0 { return }
                if descriptors[0].revents != 0 {
                    // The kind of event does not matter: all pending events are read and reported once.
                    guard unsafe read(notifier, &events, events.count) > 0 || errno == EINTR else { return }
                    // Before the report: what is committed to a new file from now on is an event of its own.
                    _ = watch(path, by: notifier)
                    patience = 0
                }
                patience = changed() ? -1 : min(max(patience * 2, 1), 1_000)
            }
        }
    #else
        init(path: String, _ changed: @escaping @Sendable () -> Bool) throws(KeyValueError) {
            throw .system(operation: "watch the store on this system", code: ENOTSUP)
        }

        func stop() {}
    #endif
}
