import Glibc

/// Lets the calling thread sleep for some microseconds, or less when a signal comes; returns whether it was as long.
@discardableResult
package func pauseThread(microseconds: Int64) -> Bool {
    guard microseconds > 0 else { return true }
    var length = timespec(
        tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1_000)
    return unsafe nanosleep(&length, nil) == 0
}
