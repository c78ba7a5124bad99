import Foundation

/// A new folder that is removed with this value.
package final class TemporaryFolder: Sendable {
    /// Where the folder is.
    package enum Place: Sendable {
        /// In the system's temporary folder.
        case disk
        /// In memory, if the system has a folder there: for what is tested beside the disk, which a flush there need not wait for.
        case memory
    }

    package let path: String

    package init(on place: Place = .disk) {
        let memory = "/dev/shm"
        let usesMemory = place == .memory && FileManager.default.isWritableFile(atPath: memory)
        path = "\(usesMemory ? memory : FileManager.default.temporaryDirectory.path)/daybook-tests-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("No temporary folder: \(error)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
