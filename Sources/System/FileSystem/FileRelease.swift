import SystemErrors
import Threading

/// Closes descriptors of data files that a compaction has replaced.
///
/// Whoever closes such a file last waits until the system has freed it: 50 ms for 130 MB, 220 ms for 500 MB. No writer should.
package enum FileRelease {
    /// Duplicates a descriptor, so that the file is not freed before `close`; nil when that is not possible.
    package static func hold(_ descriptor: FileDescriptor) -> FileDescriptor? {
        guard let held = try? descriptor.duplicate() else { return nil }
        ForkGuard.closeInChildren(held.number)
        return held
    }

    /// Closes a descriptor that `ForkGuard` closes in children; on another thread if its file has no name any more.
    package static func close(_ descriptor: FileDescriptor) {
        guard (try? descriptor.status.hasNoName) == true else { return closeNow(descriptor) }
        _ = BackgroundResult { closeNow(descriptor) }
    }

    private static func closeNow(_ descriptor: FileDescriptor) {
        ForkGuard.forget(descriptor.number)
        descriptor.close()
    }
}
