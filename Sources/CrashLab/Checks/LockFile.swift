/// What may lie in `lock.mdb` after a crash. It is mapped memory that nobody flushes, so it may be anything at all.
enum LockFile: Int, CaseIterable, Sendable {
    case absent
    case empty
    /// As the run left it: with its readers, its mutex, and the number of a transaction that may be newer than the data.
    case stale
    case zeros
    case garbage

    var name: String { "\(self)" }

    func put(into image: inout DiskImage, stale: [UInt8]) {
        let bytes: [UInt8]? =
            switch self {
            case .absent: nil
            case .empty: []
            case .stale: stale.isEmpty ? nil : stale
            case .zeros: [UInt8](repeating: 0, count: 8192)
            case .garbage: (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            }
        guard image.folders.contains("home/store") else { return }
        image.removeFile(Recording.lockPath)
        if let bytes { image.addFile(Recording.lockPath, FileContent(bytes)) }
    }
}
