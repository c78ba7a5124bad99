import Foundation
import Synchronization

/// Failures of the disk on demand. The program's own functions take precedence over libc's for liblmdb as well.
enum Faults {
    static let flushesToFail = Atomic<Int>(0)
    static let metaWritesToFail = Atomic<Int>(0)
    static let flushes = Atomic<Int>(0)

    static func takes(_ counter: borrowing Atomic<Int>) -> Bool {
        guard counter.load(ordering: .relaxed) > 0 else { return false }
        counter.subtract(1, ordering: .relaxed)
        errno = EIO
        return true
    }
}

/// LMDB's flush of the data pages.
@_cdecl("fdatasync")
public func replacedFlush(_ descriptor: Int32) -> Int32 {
    Faults.flushes.add(1, ordering: .relaxed)
    return Faults.takes(Faults.flushesToFail) ? -1 : fsync(descriptor)
}

/// LMDB's single writes; the one of a meta page is 120 bytes long.
@_cdecl("pwrite")
public func replacedWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: off_t) -> Int {
    if count == 120, Faults.takes(Faults.metaWritesToFail) { return -1 }
    var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes), iov_len: count)
    return pwritev(descriptor, &vector, 1, offset)
}

/// The same, under the name that it has where file offsets were made wide.
@_cdecl("pwrite64")
public func replacedWideWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: off_t) -> Int {
    replacedWrite(descriptor, bytes, count, offset)
}
