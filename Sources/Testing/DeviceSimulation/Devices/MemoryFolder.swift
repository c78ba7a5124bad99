import FoundationEssentials
import Records

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder in memory where there is one, which is removed with this value: a flush of these stores proves nothing.
package final class MemoryFolder: Sendable {
    package let path: String

    /// - Parameter root: where it is made; nil for the memory.
    package init(in root: String? = nil) throws {
        var template = Array("\(Self.root(root))/daybook-devices-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw RecordsError.engine(.system(operation: "make a folder", code: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The folder in which such folders are made.
    package static func root(_ given: String?) -> String {
        let memory = "/dev/shm"
        return given ?? (access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The folder of the store.
    package var store: String { path + "/store" }

    /// Copies the store as it is now: what a process leaves behind that dies here.
    func copy(to other: MemoryFolder) throws {
        try FileManager.default.createDirectory(atPath: other.store, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: store) {
            // Opening the lock file of an open store would release this process's locks; a dead process has none anyway.
            if name.hasSuffix("lock.mdb") { continue }
            try FileManager.default.copyItem(atPath: "\(store)/\(name)", toPath: "\(other.store)/\(name)")
        }
    }
}
