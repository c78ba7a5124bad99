import Daybook

/// Compares the size of a snapshot with the peers' files of the same tasks, and with a lower bound.
struct SnapshotSizes {
    let arena: ArchiveArena

    /// The number of random bits of an id: version 7 has 48 bits of time and 6 fixed bits.
    private static let randomBits = 74.0

    func run(into report: inout Report) throws {
        let middle = arena.middle
        report.begin(
            "Snapshots of \(middle.taskCount.grouped) tasks: bytes",
            "All of the same tasks. With them what no store could omit: \(Int(Self.randomBits)) random bits in each "
                + "id, and the texts and notes, a line each, compressed by themselves.")
        try makePeers()
        let ours = [3: try measure(3, into: &report), 19: try measure(19, into: &report)]
        for (name, kind) in [(Contestants.vacuum, "sqlite"), (Contestants.copy, "lmdb")] {
            let theirs = try arena.size(arena.path("\(kind).19.zst"))
            for level in [3, 19] {
                guard let bytes = ours[level] else { continue }
                report.add(
                    "snapshot of \(middle.taskCount.grouped) tasks at level \(level), bytes",
                    target: level == 3 ? "at most 0.5x \(name) -19" : "reported: of \(name) -19",
                    measured: "\((bytes / theirs).short)x", holds: level == 3 ? bytes * 2 <= theirs : nil)
            }
        }
        try levels(into: &report)
    }

    /// Creates the files of the peers before compression.
    private func makePeers() throws {
        let middle = arena.middle
        try ChildProcess.shell(
            #"sqlite3 "$1" "VACUUM INTO '$2'""#, [SQLitePeer.path(middle.path(.sqlite)), arena.path("sqlite")])
        try Folder.make(arena.path("copied"))
        try ChildProcess.shell(
            #"mdb_copy -c "$1" "$2"; mv "$2/data.mdb" "$3""#,
            [middle.path(.daybook), arena.path("copied"), arena.path("lmdb")])
        let peer = try DaybookPeer(folder: middle.path(.daybook), now: Moments.historyEnd)
        defer { peer.close() }
        let file = try OutputFile(arena.path("texts"))
        defer { file.close() }
        try peer.daybook.read { transaction in
            try transaction[TaskItem.self].forEach { task in
                file.write(Array("\(task.text)\n\(task.notes ?? "")\n".utf8))
                return true
            }
        }
        guard file.isWhole else { throw PeerFailure("the texts could not be written") }
    }

    /// Measures one level of zstd for all files. Returns Daybook's bytes.
    private func measure(_ level: Int, into report: inout Report) throws -> Double {
        try arena.daybook(arena.create(arena.middle, level: level))
        let ours = try arena.size(arena.snapshot(arena.middle, level: level))
        var sizes = [
            Contestants.daybook: ours,
            Contestants.identities: (Double(arena.middle.taskCount) * Self.randomBits / 8).rounded(.up),
        ]
        for (name, kind) in [
            (Contestants.vacuum, "sqlite"), (Contestants.copy, "lmdb"), (Contestants.texts, "texts"),
        ] {
            try ChildProcess.shell(
                #"zstd -q -f "-$1" -o "$3" "$2""#, ["\(level)", arena.path(kind), arena.path("\(kind).\(level).zst")])
            sizes[name] = try arena.size(arena.path("\(kind).\(level).zst"))
        }
        report.add("level \(level)", sizes)
        return ours
    }

    /// Measures each level once.
    private func levels(into report: inout Report) throws {
        report.begin(
            "Snapshots by level", "Bytes, and the time of the whole command, measured once: no comparison.")
        let clock = ContinuousClock()
        for dataset in [arena.small, arena.middle] {
            for level in [1, 3, 9, 19] {
                let time = try clock.measure { try arena.daybook(arena.create(dataset, level: level)) }
                let bytes = try arena.size(arena.snapshot(dataset, level: level))
                report.add(
                    "\(dataset.taskCount.grouped) tasks, level \(level)",
                    [Contestants.daybook: Report.Cell(median: bytes.bytes, ratio: "in \(time.nanoseconds.time)")])
            }
        }
        let small = try arena.size(arena.snapshot(arena.small))
        report.add(
            "snapshot of \(arena.small.taskCount.grouped) tasks", target: "under 10 MB", measured: small.bytes,
            holds: small < 10e6)
    }
}
