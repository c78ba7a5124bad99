import FoundationEssentials
import Glibc

/// What may lie in `lock.mdb` after a crash. It is mapped memory that nobody flushes, so it may be anything at all.
enum LockFile: Int, CaseIterable, Sendable {
    case absent
    case empty
    /// As the run left it: with its readers, its mutex, and the number of a transaction that may be newer than the data.
    case stale
    case zeros
    case garbage

    var name: String { "\(self)" }

    /// - Parameters:
    ///   - stale: what the run left in it; empty for no file.
    ///   - store: the store's folder in the image.
    func put(into image: inout DiskImage, stale: [UInt8], store: String = Recording.storePath) {
        let bytes: [UInt8]? =
            switch self {
            case .absent: nil
            case .empty: []
            case .stale: stale.isEmpty ? nil : stale
            case .zeros: [UInt8](repeating: 0, count: 8192)
            case .garbage: (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            }
        guard store.isEmpty || image.folders.contains(store) else { return }
        let path = store.isEmpty ? Self.fileName : "\(store)/\(Self.fileName)"
        image.removeFile(path)
        if let bytes { image.addFile(path, FileContent(bytes)) }
    }

    static let fileName = "lock.mdb"

    /// The bytes of a lock file that this process may have open; nil when there is none.
    ///
    /// Closing any descriptor of a file ends all locks that the process has on it, and with them a store's claim to its
    /// lock file. So it is read through the descriptor that is open already, if there is one.
    static func bytes(of path: String) -> [UInt8]? {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return nil }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            var found = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &found) == 0, found.st_ino == wanted.st_ino,
                found.st_dev == wanted.st_dev
            else { continue }
            var bytes = [UInt8](repeating: 0, count: Int(found.st_size))
            return pread(descriptor, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
        }
        return FolderFiles.bytes(of: path)
    }
}
