import Daybook
import Foundation

/// Where the truth about the zones lies: `$DAYBOOK_SHARED`, else the folder `shared` beside the package.
enum ZoneTruthFolder {
    private static let environment = ProcessInfo.processInfo.environment

    static let path: String = {
        if let folder = environment["DAYBOOK_SHARED"], !folder.isEmpty { return folder + "/data/time" }
        // The sources may be symbolic links into the package: Tests/SimulationTests/Zones/ is three folders down.
        var root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().path + "/shared/data/time"
    }()

    /// The tests that need the truth run when there is one about this machine's zone data; in continuous integration they
    /// run, and fail, in any case.
    static let isExpected =
        environment["CI"] != nil
        || FileManager.default.fileExists(atPath: "\(path)/digests-\(Zone.dataVersion ?? "unknown").csv")
}
