import Dispatch
import Glibc
import SystemErrors
import Threading

/// Calls a closure when a file was written to, by any process. A thread that sleeps in the kernel until then.
package final class FileWatch: Sendable {
    private let stopPipe: FileDescriptor

    /// Begins to watch.
    ///
    /// - Parameter changed: called at the beginning and after each event; returns whether it has dealt with it. Otherwise it is called again soon,
    ///   without another event.
    package init(path: String, _ changed: @escaping @Sendable () -> Bool) throws(SystemCondition) {
        let notifier = FileDescriptor(inotify_init1(Int32(IN_CLOEXEC)))
        try check(notifier.number)
        let pipe: (end: FileDescriptor, start: FileDescriptor)
        do throws(SystemCondition) {
            try Self.watch(path, by: notifier)
            pipe = try FileDescriptor.makePipe()
        } catch {
            notifier.close()
            throw error
        }
        stopPipe = pipe.start
        let code = startDetachedThread { Self.run(path: path, notifier: notifier, stopSignal: pipe.end, changed) }
        guard code == 0 else {
            for descriptor in [notifier, pipe.end, pipe.start] { descriptor.close() }
            throw SystemCondition(code)
        }
    }

    package func stop() {
        // Closing the writing end wakes the thread, which closes the rest.
        stopPipe.close()
    }

    /// Watches the file that has the path now; does nothing if it is watched already. A file that another one
    /// replaces loses a link, which changes its attributes.
    private static func watch(_ path: String, by notifier: FileDescriptor) throws(SystemCondition) {
        try check(unsafe inotify_add_watch(notifier.number, path, UInt32(IN_MODIFY | IN_ATTRIB)))
    }

    private static func run(
        path: String, notifier: FileDescriptor, stopSignal: FileDescriptor, _ changed: () -> Bool
    ) {
        defer {
            notifier.close()
            stopSignal.close()
        }
        var descriptors = [notifier, stopSignal].map {
            pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
        }
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
                guard ((try? notifier.read(into: &events)) ?? 0) > 0 else { return }
                // Before the report: a commit to a new file from now on is a separate event.
                try? watch(path, by: notifier)
                patience = 0
            }
            patience = changed() ? -1 : min(max(patience * 2, 1), 1_000)
        }
    }
}

/// Calls a closure when a file in a folder was created, removed or rewritten by any process. Nothing runs until then.
package final class FolderWatch {
    private let source: any DispatchSourceRead

    /// Nil when the kernel refuses: too many watches or open files, or no such folder.
    package init?(_ folder: String, changed: @escaping @Sendable () -> Void) {
        let notifier = FileDescriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
        guard notifier.number >= 0 else { return nil }
        let events = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE
        guard unsafe inotify_add_watch(notifier.number, folder, UInt32(events)) >= 0 else {
            notifier.close()
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: notifier.number, queue: .global())
        source.setEventHandler {
            // The kind of event does not matter: all pending events are read and reported once.
            var events = [UInt8](repeating: 0, count: 4_096)
            while let count = try? notifier.read(into: &events), count > 0 {}
            changed()
        }
        source.setCancelHandler { notifier.close() }
        source.activate()
    }

    /// Ends the watch and closes its descriptor soon after.
    package func stop() { source.cancel() }
}
