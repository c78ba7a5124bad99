/// What was done to the files below a folder, counted call by call. Calls that failed are not counted.
package struct DiskCounts: Equatable, Sendable {
    /// Flushes of files, folders and maps: fsync, fdatasync, msync.
    package var flushes = 0
    /// Writes that were durable before they returned, as that of LMDB's meta page: a flush that is not called one.
    package var synchronousWrites = 0
    /// Write calls of every kind, those included.
    package var writeCalls = 0
    package var bytesWritten = 0
    /// Different pages of 4 KiB of LMDB's data file that were written to.
    package var pagesWritten = 0
    package var filesOpened = 0
    package var renames = 0

    package init() {}
}
