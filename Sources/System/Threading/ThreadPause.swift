#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lets the calling thread sleep for some microseconds, or less when a signal comes.
package func pauseThread(microseconds: Int64) {
    guard microseconds > 0 else { return }
    var length = timespec(
        tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1_000)
    _ = unsafe nanosleep(&length, nil)
}
