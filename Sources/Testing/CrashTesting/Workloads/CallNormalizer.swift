import DiskRecording

/// Prepares recorded calls for exploration: adds to each call through a descriptor the path that it was opened with,
/// and drops calls on lock files, whose content after a crash is varied separately (see `LockFile`).
struct CallNormalizer: Sendable {
    private var paths: [Int: String] = [:]

    /// Returns the prepared call; nil if it is to be dropped.
    mutating func normalized(_ call: DiskCall) -> DiskCall? {
        var call = call
        if call.kind == .open { paths[call.file] = call.path }
        if call.path.isEmpty { call.path = paths[call.file] ?? "" }
        return DiskImage.name(of: call.path) == LockFile.fileName ? nil : call
    }
}
