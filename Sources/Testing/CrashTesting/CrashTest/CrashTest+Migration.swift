import Daybook
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
        let run = try recordOpening(of: folder, in: "\(scratch.path)/recorded")
        var images = CrashImages<Content>(seed: seed, folder: "\(scratch.path)/image")
        let image = images.folder
        let copy = "\(scratch.path)/inspected"
        let open = { (run: RecordedRun<Content>) -> ShownContent<Content> in
            do {
                // A copy, since even a reader changes the lock file.
                try FolderFiles.replace(copy, with: try FolderFiles.image(of: image))
                try inspect(path(in: copy))
            } catch {
                return .broken("before it is opened: \(error)")
            }
            return shown(in: image, of: run)
        }
        if let replaying {
            try await images.replay(replaying, of: run) { open($0) }
        } else {
            try await images.explore(run, limits: limits) { open($0) }
        }
        return images.report
    }

    private func recordOpening(of folder: String, in recorded: String) throws -> RecordedRun<Content> {
        var start = DiskImage()
        let older = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
        for (name, content) in older.files { start.addFile("\(RecordedRun<Content>.store)/\(name)", content) }
        try FolderFiles.replace(recorded, with: start)
        try DiskLog.begin(folder: recorded)
        defer { DiskLog.end() }
        let store = try open(path(in: recorded))
        defer { store.close() }
        DiskLog.note(.acknowledged, 0)
        let content = try read(store)
        store.close()
        return RecordedRun(
            start: start, entries: try DiskLog.entries().normalized, contents: [content],
            lockFile: FolderFiles.bytes(of: "\(path(in: recorded))/\(LockFile.fileName)") ?? [])
    }
}
