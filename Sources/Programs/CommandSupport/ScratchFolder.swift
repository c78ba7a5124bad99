import FileSystem
import FoundationEssentials
import Processes
import SystemErrors

/// Temporary folders of commands.
package enum ScratchFolder {
    /// Creates a folder that only its owner can read.
    package static func create(_ path: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unusable("The folder \(path) could not be created. Set TMPDIR to another folder.")
        }
    }

    /// Creates a new folder, at ``path(for:)`` if nothing is there. What is there is left alone: a process with the same id,
    /// perhaps in another container, may be using it.
    package static func make(for command: String) throws(CommandError) -> String {
        let first = path(for: command)
        if let parent = named {
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        }
        var (path, number) = (first, 1)
        while true {
            do throws(SystemCondition) {
                try FileTree.makeFolder(path)
                return path
            } catch {
                guard error == .alreadyExists else {
                    throw .unusable("The folder \(path) could not be created. Set TMPDIR to another folder.")
                }
                number += 1
                path = "\(first)-\(number)"
            }
        }
    }

    /// Copies a store that no process has open, replacing an older copy.
    package static func copy(_ store: String, to path: String) throws(CommandError) {
        do {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.copyItem(atPath: store, toPath: path)
        } catch {
            throw .unusable("A store could not be copied to \(path). Free some space, or measure with fewer --tasks.")
        }
    }

    /// Returns a path in memory (`/dev/shm`, else `/tmp`) whatever `$TMPDIR` is, for work that must not wait for a disk.
    package static func inMemory(for command: String) -> String {
        "\(memory)/daybook-\(command)-\(CurrentProcess.identifier)"
    }

    /// Returns a path in `$TMPDIR`, else `/dev/shm`, else `/tmp`, unique to this process and command. It is not created.
    package static func path(for command: String) -> String {
        "\(named ?? memory)/daybook-\(command)-\(CurrentProcess.identifier)"
    }

    /// Creates a folder on a disk (`$TMPDIR`, else `/tmp`), because flushes must reach one, and removes it after the closure.
    package static func onDisk<Result>(
        for command: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let folder = "\(named ?? "/tmp")/daybook-\(command)-\(CurrentProcess.identifier)"
        try create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    private static var named: String? {
        ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static var memory: String { FileTree.isWritable("/dev/shm") ? "/dev/shm" : "/tmp" }
}
