import FoundationEssentials
import Glibc

/// Where a command keeps what it needs for its work only: in memory where that can be had.
enum ScratchFolder {
    /// Makes a folder that only its owner sees.
    static func make(_ path: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unusable("The folder \(path) could not be made. Set TMPDIR to another place.")
        }
    }

    /// Copies a store that nobody has open to where there may be an older copy.
    static func copy(_ store: String, to path: String) throws(CommandError) {
        do {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.copyItem(atPath: store, toPath: path)
        } catch {
            throw .unusable("A store could not be copied to \(path). Free some space, or measure with fewer --tasks.")
        }
    }

    /// A folder in memory where that can be had, whatever `$TMPDIR` says: for what must not wait for a disk.
    static func inMemory(for command: String) -> String {
        "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/daybook-\(command)-\(getpid())"
    }

    /// A folder in `$TMPDIR`, else `/dev/shm`, else `/tmp`, of this process and this command alone. It is not made yet.
    static func path(for command: String) -> String {
        let named = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
        let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(named ?? memory)/daybook-\(command)-\(getpid())"
    }
}
