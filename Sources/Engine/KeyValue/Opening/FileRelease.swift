import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Closes descriptors of data files that a compaction has replaced.
///
/// Whoever closes such a file last waits until the system has freed it: 50 ms for 130 MB, 220 ms for 500 MB. No writer should.
enum FileRelease {
    /// Duplicates a descriptor, so that the file is not freed before `close`; nil when that is not possible.
    static func hold(_ descriptor: Int32) -> Int32? {
        let held = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard held >= 0 else { return nil }
        ForkGuard.closeInChildren(held)
        return held
    }

    /// Closes a descriptor that `ForkGuard` closes in children; on another thread if its file has no name any more.
    static func close(_ descriptor: Int32) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_nlink == 0 else {
            return closeNow(descriptor)
        }
        _ = BackgroundResult { closeNow(descriptor) }
    }

    private static func closeNow(_ descriptor: Int32) {
        ForkGuard.forget(descriptor)
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }
}
