import CSQLitePeer
import Daybook

/// The versions of the participants of a run.
enum Versions {
    /// GRDB does not report its version; `Package.swift` requires exactly this one.
    private static let grdb = "7.10.0"

    static func all(options: Options, store: String, folder: String) throws -> [(name: String, value: String)] {
        let daybook = "\(LibraryVersion.current), commit \(options.commit)"
        var versions = [
            ("Daybook", daybook),
            ("Swift", options.compiler),
            ("LMDB", try lmdb(store)),
            ("SQLite", String(cString: sqlite_peer_version())),
            ("GRDB", grdb),
        ]
        if let program = options.taskwarrior {
            let text = try ChildProcess.output(of: program, ["--version"], in: folder)
            versions.append(("Taskwarrior", text.split(whereSeparator: \.isWhitespace).joined()))
        } else {
            versions.append(("Taskwarrior", "not installed: left out"))
        }
        let jrnl = try options.jrnl.map { try ChildProcess.output(of: $0, ["--version"], in: folder) }
        versions.append(
            (
                "jrnl",
                jrnl?.split(whereSeparator: \.isWhitespace).dropFirst().first.map(String.init)
                    ?? "not installed: left out"
            ))
        return versions
    }

    /// The versions of the participants in a comparison of files.
    static func archive(options: Options, folder: String) throws -> [(name: String, value: String)] {
        let tools = [
            ("SQLite's shell", "sqlite3 --version"), ("mdb_copy", "mdb_copy -V"), ("zstd", "zstd -q --version"),
        ]
        return [
            ("Daybook", "\(LibraryVersion.current), commit \(options.commit)"), ("Swift", options.compiler),
        ]
            + (try tools.map { name, command in
                let text = try ChildProcess.output(of: "/bin/sh", ["-c", command], in: folder)
                return (name, text.split(separator: "\n").first.map(String.init) ?? "unknown")
            })
    }

    private static func lmdb(_ store: String) throws -> String {
        let peer = try DaybookPeer(folder: store, now: Moments.planned)
        defer { peer.close() }
        return try peer.daybook.information().engineVersion
    }
}
