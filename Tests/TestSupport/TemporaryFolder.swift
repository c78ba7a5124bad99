import Foundation

/// A new folder in the temporary folder, removed with this value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/daybook-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
    }
}
