import Glibc

/// A failed call of the operating system, with what it was for.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// What the call was for, to follow "Unable to".
    package let operation: String
    /// The reason.
    package let condition: SystemCondition

    package init(_ operation: String, _ condition: SystemCondition) {
        self.operation = operation
        self.condition = condition
    }

    /// Makes a call, and throws its failure with what it was for.
    package static func naming<Result>(
        _ operation: String, _ call: @autoclosure () throws(SystemCondition) -> Result
    ) throws(SystemError) -> Result {
        do throws(SystemCondition) { return try call() } catch { throw SystemError(operation, error) }
    }

    /// One line: what failed, why, and what to do next.
    package var description: String {
        "Unable to \(operation): \(condition). \(condition.advice ?? "Check the disk and try again.")"
    }
}

extension SystemCondition: Error {
    /// The condition of the last call of this thread that failed.
    package static var last: Self { Self(errno) }

    package static var permissionDenied: Self { Self(EACCES) }
    package static var notPermitted: Self { Self(EPERM) }
    package static var readOnlyFileSystem: Self { Self(EROFS) }
    package static var notFound: Self { Self(ENOENT) }
    package static var notAFolder: Self { Self(ENOTDIR) }
    package static var isAFolder: Self { Self(EISDIR) }
    package static var alreadyExists: Self { Self(EEXIST) }
    package static var folderNotEmpty: Self { Self(ENOTEMPTY) }
    package static var nameTooLong: Self { Self(ENAMETOOLONG) }
    package static var noSpace: Self { Self(ENOSPC) }
    package static var quotaExceeded: Self { Self(EDQUOT) }
    package static var fileTooLarge: Self { Self(EFBIG) }
    package static var inputOutput: Self { Self(EIO) }
    package static var outOfMemory: Self { Self(ENOMEM) }
    package static var inUse: Self { Self(EBUSY) }
    package static var unavailable: Self { Self(EAGAIN) }
    package static var interrupted: Self { Self(EINTR) }
    package static var invalidArgument: Self { Self(EINVAL) }
    package static var notImplemented: Self { Self(ENOSYS) }
    package static var notSupported: Self { Self(ENOTSUP) }
    package static var brokenPipe: Self { Self(EPIPE) }

    /// Whether this user may not do it.
    package var isPermission: Bool { self == .permissionDenied || self == .notPermitted }

    /// Whether there is nothing at the path.
    package var isMissing: Bool { self == .notFound || self == .notAFolder }

    /// Whether the disk, the user's quota or the file cannot grow.
    package var isStorageFull: Bool { [.noSpace, .quotaExceeded, .fileTooLarge].contains(self) }

    /// Whether the system, the file system or the file has no such function.
    package var isUnsupported: Bool { [.invalidArgument, .notImplemented, .notSupported].contains(self) }

    /// Whether it is a temporary shortage: an interruption, or no memory or descriptors left.
    package var isTransient: Bool {
        [EINTR, EAGAIN, ENOMEM, ENOBUFS, EMFILE, ENFILE, EBUSY, ETIMEDOUT].contains(code)
    }
}
