#if os(Linux)
    import Dispatch

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
#endif

/// Calls a closure when a file in a folder came, went or was rewritten, by any process. Nothing runs until then.
final class FolderWatch {
    #if os(Linux)
        private let source: any DispatchSourceRead

        /// Nil when the kernel refuses: too many watches or open files, or no such folder.
        init?(_ folder: String, changed: @escaping @Sendable () -> Void) {
            let notifier = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard notifier >= 0 else { return nil }
            let events = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE
            guard inotify_add_watch(notifier, folder, UInt32(events)) >= 0 else {
                close(notifier)
                return nil
            }
            source = DispatchSource.makeReadSource(fileDescriptor: notifier, queue: .global())
            source.setEventHandler {
                // What happened does not matter, only that it did: events are read away and told once.
                var events = [UInt8](repeating: 0, count: 4_096)
                while read(notifier, &events, events.count) > 0 {}
                changed()
            }
            source.setCancelHandler { close(notifier) }
            source.activate()
        }

        /// Ends the watch, and closes its descriptor soon after.
        func stop() { source.cancel() }
    #else
        init?(_ folder: String, changed: @escaping @Sendable () -> Void) { return nil }

        func stop() {}
    #endif
}
