/// Makes of recorded calls, in their order, what the lab wants: each call through a descriptor with the path that it was
/// opened by, and none on lock files, since what is in those after a crash is varied on its own (see `LockFile`).
struct CallPreparation: Sendable {
    private var paths: [Int: String] = [:]

    /// The call as it is wanted; nil when it is not.
    mutating func prepared(_ call: DiskCall) -> DiskCall? {
        var call = call
        if call.kind == .open { paths[call.file] = call.path }
        if call.path.isEmpty { call.path = paths[call.file] ?? "" }
        return DiskImage.name(of: call.path) == LockFile.fileName ? nil : call
    }
}
