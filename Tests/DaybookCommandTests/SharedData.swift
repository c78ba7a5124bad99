import Foundation

/// The real files that the tests read: `$DAYBOOK_SHARED`, else the folder `shared` beside the package.
enum SharedData {
    private static let environment = ProcessInfo.processInfo.environment

    static let folder: String = {
        if let folder = environment["DAYBOOK_SHARED"] { return folder + "/data" }
        // The sources may be symbolic links into the package.
        var directory = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().path
        while let slash = directory.lastIndex(of: "/") {
            directory = String(directory[..<slash])
            if FileManager.default.fileExists(atPath: directory + "/Package.swift") { break }
        }
        return directory + "/../shared/data"
    }()

    /// In continuous integration the files must be there: the tests run and fail without them.
    static let isExpected = environment["CI"] != nil || FileManager.default.fileExists(atPath: folder)

    static func path(_ name: String) -> String { folder + "/" + name }
}
