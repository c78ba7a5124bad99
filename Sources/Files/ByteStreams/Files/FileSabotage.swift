/// A promise of ``AtomicFile`` to break on purpose, so that it is known that the crash lab finds out. Only this package can
/// reach it.
package enum FileSabotage: String, CaseIterable, Sendable {
    /// The file gets its name before its bytes are on the disk.
    case skipsFileFlush
    /// The file's name in its folder is not flushed.
    case skipsFolderFlush
    /// There is no temporary file: the target itself is written.
    case writesInPlace
}
