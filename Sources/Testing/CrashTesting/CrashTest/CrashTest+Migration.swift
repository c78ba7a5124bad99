import DiskRecording

extension CrashTest {
    /// Opens a copy of a store that an older version of the program has written, and checks every crash image of that opening:
    /// all of what the store had must be shown, and `verify` must find nothing. Stops after ten violations.
    ///
    /// - Parameters:
    ///   - folder: The older store, with its lock file or without one. It is not changed.
    ///   - inspect: Checks a copy of each image before the program opens the image; throws what is wrong.
    /// - Throws: As `run`.
    package func run(
        migrating folder: String, inspecting inspect: @escaping @Sendable (String) throws -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CrashTestReport {
        let scratch = try ScratchFolder()
        var start = DiskImage()
        let older = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
        for (name, content) in older.files { start.addFile("\(Recording.storePath)/\(name)", content) }
        let (run, known) = try await record([], in: "\(scratch.path)/recorded", from: start)
        let image = "\(scratch.path)/image"
        let copy = "\(scratch.path)/inspected"
        return try await explore(run, in: image) {
            do {
                // A copy, since even a reader changes the lock file.
                try FolderFiles.replace(copy, with: try FolderFiles.image(of: image))
                try inspect(path(in: copy))
            } catch {
                throw BrokenPromise("before it is opened: \(error)")
            }
            return try state(in: image, among: known)
        }
    }
}
