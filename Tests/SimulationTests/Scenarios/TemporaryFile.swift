import Foundation

/// A file of a test's own, gone with the last reference.
final class TemporaryFile {
    let path: String

    init(bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString).yaml").path
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
