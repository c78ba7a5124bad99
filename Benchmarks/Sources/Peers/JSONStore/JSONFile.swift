import FoundationEssentials
import Glibc

/// A complete JSON file, written beside its target and renamed into place.
enum JSONFile {
    static func write(_ value: some Encodable, to path: String, isDurable: Bool) throws {
        let bytes = try JSONEncoder().encode(value)
        let file = try OutputFile(path + ".new")
        file.write(Array(bytes))
        if isDurable { file.flush() }
        file.close()
        guard file.isWhole, rename(path + ".new", path) == 0 else { throw PeerFailure("cannot write \(path)") }
        guard isDurable else { return }
        let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY)
        guard folder >= 0, fsync(folder) == 0 else { throw PeerFailure("cannot flush the folder of \(path)") }
        close(folder)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
