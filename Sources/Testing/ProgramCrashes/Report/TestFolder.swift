import FileSystem
import SystemErrors

/// The folder in which the commands run.
enum TestFolder {
    /// Returns the path of an empty folder, and whether it is to be removed.
    static func make(_ path: String?, scratch: String) throws(ProgramCrashError) -> (path: String, isOwn: Bool) {
        let isOwn = path.map { !FileTree.exists($0) } ?? true
        let wanted = path ?? "\(scratch)/folder"
        let names: [String]
        do throws(SystemCondition) {
            if isOwn { try FileTree.makeFolder(wanted) }
            names = try FileTree.names(in: wanted).filter { $0 != "." && $0 != ".." }
        } catch {
            throw .system(operation: "use the folder \(wanted)", code: error.code)
        }
        // The content would be replaced by images.
        if !names.isEmpty { throw .folderInUse(wanted) }
        guard let resolved = FileTree.resolved(wanted) else {
            throw .system(operation: "use the folder \(wanted)", code: SystemCondition.notFound.code)
        }
        return (resolved, isOwn)
    }

    /// Empties the folder, and removes it if the test has made it.
    static func remove(_ path: String, isOwn: Bool) {
        try? CheckerProcess.clear(path)
        if isOwn { try? FileTree.removeFolder(path) }
    }

    /// Makes the folder of a report, in an existing one.
    static func makeReport(_ path: String) throws(ProgramCrashError) {
        do throws(SystemCondition) {
            if !FileTree.exists(path) { try FileTree.makeFolder(path) }
        } catch {
            throw .system(operation: "make the folder \(path)", code: error.code)
        }
    }
}
