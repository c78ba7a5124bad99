import Injection

extension InjectionPoint {
    /// The file gets its name before its bytes are on the disk.
    package static var skipsFileFlush: Self { Self() }
    /// The file's name in its folder is not flushed.
    package static var skipsFolderFlush: Self { Self() }
    /// There is no temporary file: the target itself is written.
    package static var writesInPlace: Self { Self() }
}
