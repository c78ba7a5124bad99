import Glibc

/// The context of a comparison of files: the stores, the program, and a folder for files.
struct ArchiveArena {
    let scale: ArchiveScale
    /// The folder for temporary files.
    let folder: String
    /// The program `daybook`.
    let program: String
    let small: Dataset
    let middle: Dataset
    let large: Dataset

    init(scale: ArchiveScale, folder: String, program: String) throws {
        self.scale = scale
        self.folder = "\(folder)/work"
        self.program = program
        small = Dataset(folder: "\(folder)/small", taskCount: scale.small)
        middle = Dataset(folder: "\(folder)/middle", taskCount: scale.middle)
        large = Dataset(folder: "\(folder)/large", taskCount: scale.large)
        try Folder.make(self.folder)
    }

    /// Creates histories like `daybook generate`; the middle one in SQLite as well.
    func prepare() async throws {
        for dataset in [small, middle, large] { try await dataset.generate() }
        let daybook = try DaybookPeer(folder: middle.path(.daybook), now: Moments.planned)
        defer { daybook.close() }
        try middle.fillSQLite(from: daybook)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Returns the path for snapshots of a dataset.
    func snapshot(_ dataset: Dataset, level: Int = 3) -> String { path("\(dataset.taskCount)-\(level).snapshot") }

    /// Returns the arguments that create one, always for the same moment, so that the bytes are equal.
    func create(_ dataset: Dataset, level: Int = 3) -> [String] {
        ["snapshot", "create", snapshot(dataset, level: level), "--level", "\(level)", "--force"]
            + store(dataset.path(.daybook))
    }

    /// The arguments that name a store, the moment and the zone.
    func store(_ path: String) -> [String] {
        ["--store", path, "--now", "2026-02-10T16:00:00Z", "--zone", Moments.zoneName]
    }

    func daybook(_ words: [String]) throws { try ChildProcess.run(program, words) }

    func size(_ path: String) throws -> Double {
        var information = stat()
        guard stat(path, &information) == 0 else { throw PeerFailure("there is no \(path)") }
        return Double(information.st_size)
    }
}
