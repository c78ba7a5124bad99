import FoundationEssentials
import Glibc

/// A folder in memory for the readers that read files; of one process, and gone at its end. After a crash the one that
/// started the process removes it.
enum ScratchFolder {
    static func path(of process: pid_t) -> String {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(parent)/daybook-fuzz-\(process)"
    }

    static func make() throws -> String {
        let path = path(of: getpid())
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}
