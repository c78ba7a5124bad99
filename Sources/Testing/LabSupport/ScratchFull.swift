#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file system of a temporary folder is full, so that what a run found there says nothing about Daybook.
package struct ScratchFull: Error, Equatable, CustomStringConvertible {
    private let folder: String

    /// Below this, stores of a run may not fit: a call can fail although some space is left.
    private static let bytesMin: UInt64 = 1 << 20

    /// Throws where the file system of a folder is full. To be called at a failure, while the run's files are still there.
    package static func check(_ folder: String) throws(ScratchFull) {
        var information = statvfs()
        // The folder itself may be what could not be made.
        var path = folder
        while statvfs(path, &information) != 0 {
            guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
            path = String(path[..<end])
        }
        let bytes = UInt64(information.f_bavail) * UInt64(information.f_frsize)
        // Some file systems do not count their files.
        let hasNoFiles = information.f_files > 0 && information.f_favail == 0
        if bytes < bytesMin || hasNoFiles { throw ScratchFull(folder: folder) }
    }

    /// Runs work with files in a folder; an error of it is one of the full file system, where that is full.
    package static func checking<Result>(_ folder: String, _ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch {
            try check(folder)
            throw error
        }
    }

    /// One line: what happened, and what to do.
    package var description: String {
        "The file system of the temporary folder \(folder) is full, so there is no result. Free some space, or set TMPDIR to "
            + "another folder."
    }
}
