import Glibc

extension FileError {
    /// The error for a system call that failed on `path` with `code` (an `errno`).
    public init(code: Int32, path: String) {
        switch code {
        case ENOENT, ENOTDIR: self = .notFound(path: path)
        case EEXIST: self = .targetExists(path: path)
        case EISDIR: self = .notAFile(path: path)
        case EACCES, EPERM, EROFS: self = .permissionDenied(path: path)
        case ENOSPC, EDQUOT: self = .diskFull(path: path)
        default: self = .system(path: path, code: code)
        }
    }
}
