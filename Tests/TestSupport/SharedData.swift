import Foundation

/// The real files that tests read: `$DAYBOOK_SHARED/data`, by default `shared/data` beside the package.
package enum SharedData {
    private static let environment = ProcessInfo.processInfo.environment
    /// `.ci/run` requires the files: tests that need them then run and fail without them. Elsewhere such tests are
    /// skipped.
    private static let isRequired = environment["DAYBOOK_REQUIRE_SHARED"] == "1"

    package static let folder: String = {
        if let folder = environment["DAYBOOK_SHARED"], !folder.isEmpty { return folder + "/data" }
        // The sources may be symbolic links into the package: Tests/TestSupport/ is two folders down.
        var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().path + "/shared/data"
    }()

    /// Whether tests that need the files run.
    package static let isExpected = isRequired || FileManager.default.fileExists(atPath: folder)

    /// Whether tests that need one of the files run.
    package static func isExpected(_ name: String) -> Bool {
        isRequired || FileManager.default.fileExists(atPath: path(name))
    }

    package static func path(_ name: String) -> String { folder + "/" + name }

    package static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
