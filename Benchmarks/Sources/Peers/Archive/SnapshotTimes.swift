/// Measures the time to create, verify and restore a snapshot, as whole commands, interleaved.
///
/// Needs the files that `SnapshotSizes` has created.
struct SnapshotTimes {
    let arena: ArchiveArena

    func run(into report: inout Report) async throws {
        report.begin(
            "Snapshots of \(arena.middle.taskCount.grouped) tasks: time",
            "Whole commands at level 3. Daybook's create reads back what it wrote, checks every record and flushes the file "
                + "to the disk; the peers' two commands do neither. Its restore builds all indexes anew and checks them; "
                + "SQLite's unpacks its file and checks it by `PRAGMA integrity_check`.")
        let size = "\(arena.middle.taskCount.grouped) tasks"
        let created = try await Interleaved.run(creates, rounds: arena.scale.long, warmUp: 1)
        report.add("create", created)
        report.require(
            "snapshot create of \(size), verified, in time", atMost: 1, timesOf: Contestants.vacuum, in: created)

        let verified = try await Interleaved.run(verifications, rounds: arena.scale.long, warmUp: 1)
        report.add("verify; `zstd -t` of the peers' files at -19", verified)
        report.require(
            "snapshot verify of \(size)", atMost: 0.5e9, beyond: Contestants.vacuum,
            whichIs: "`zstd -t` of SQLite's -19",
            in: verified)

        let restored = try await Interleaved.run(restores, rounds: arena.scale.long, warmUp: 1)
        report.add("restore, verified", restored)
        report.require("restore of \(size), verified", under: 2e9, in: restored)
    }

    private var creates: [Contestant] {
        let middle = arena.middle
        let (vacuumed, copied) = (arena.path("vacuumed"), arena.path("copied"))
        return [
            Contestant(name: Contestants.daybook, run: { _ in try arena.daybook(arena.create(middle)) }),
            Contestant(
                name: Contestants.vacuum, before: { _ in try ChildProcess.shell(#"rm -f "$1" "$1.zst""#, [vacuumed]) },
                run: { _ in
                    try ChildProcess.shell(
                        #"sqlite3 "$1" "VACUUM INTO '$2'"; zstd -q -3 --rm "$2""#,
                        [SQLitePeer.path(middle.path(.sqlite)), vacuumed])
                }),
            Contestant(
                name: Contestants.copy, before: { _ in try ChildProcess.shell(#"rm -f "$1"/*"#, [copied]) },
                run: { _ in
                    try ChildProcess.shell(
                        #"mdb_copy -c "$1" "$2"; zstd -q -3 --rm "$2/data.mdb""#, [middle.path(.daybook), copied])
                }),
        ]
    }

    private var verifications: [Contestant] {
        [
            Contestant(
                name: Contestants.daybook,
                run: { _ in try arena.daybook(["snapshot", "verify", arena.snapshot(arena.middle)]) }),
            Contestant(
                name: Contestants.vacuum,
                run: { _ in try ChildProcess.shell(#"zstd -q -t "$1""#, [arena.path("sqlite.19.zst")]) }),
            Contestant(
                name: Contestants.copy,
                run: { _ in try ChildProcess.shell(#"zstd -q -t "$1""#, [arena.path("lmdb.19.zst")]) }),
        ]
    }

    private var restores: [Contestant] {
        let restored = arena.path("restored")
        return [
            Contestant(
                name: Contestants.daybook, before: { _ in try Folder.remove(restored) },
                run: { _ in
                    try arena.daybook(["snapshot", "restore", arena.snapshot(arena.middle), "--to", restored])
                }, after: { try Folder.remove(restored) }),
            Contestant(
                name: Contestants.vacuum, before: { _ in try Folder.remove(restored) },
                run: { _ in
                    try ChildProcess.shell(
                        #"zstd -q -d -o "$2" "$1"; test "$(sqlite3 "$2" 'PRAGMA integrity_check')" = ok"#,
                        [arena.path("sqlite.3.zst"), restored])
                }, after: { try Folder.remove(restored) }),
        ]
    }
}
