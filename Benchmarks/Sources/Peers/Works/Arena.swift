import Daybook

/// A store of each peer, open at the same time, with the same tasks.
struct Arena {
    let daybook: DaybookPeer
    let grdb: GRDBPeer
    let sqlite: SQLitePeer
    let json: JSONPeer?
    /// Those that others are compared with for one kind of work: another way of Daybook's, and peers that do more.
    private(set) var others: [(name: String, peer: any Peer)] = []
    /// The folder of Daybook's store.
    let daybookFolder: String

    /// The peers with their names; Daybook first.
    var peers: [(name: String, peer: any Peer)] {
        var peers: [(String, any Peer)] = [
            (Contestants.daybook, daybook), (Contestants.grdb, grdb), (Contestants.sqlite, sqlite),
        ]
        if let json { peers.append((Contestants.json, json)) }
        return peers + others
    }

    init(_ dataset: Dataset, now: Instant, json: Bool) throws {
        daybookFolder = dataset.path(.daybook)
        daybook = try DaybookPeer(folder: daybookFolder, now: now)
        grdb = try GRDBPeer(folder: dataset.path(.grdb), now: now)
        sqlite = try SQLitePeer(folder: dataset.path(.sqlite), now: now)
        self.json = json ? try JSONPeer(folder: dataset.path(.json), now: now) : nil
    }

    /// Adds a store that commits directly, a copy of Daybook's.
    mutating func addDirect(from dataset: Dataset, at path: String) throws {
        try Folder.copy(dataset.path(.daybook), to: path)
        others.append((Contestants.direct, try DaybookPeer(direct: path, now: Moments.planned)))
    }

    /// Adds copies of the stores on SQLite that have an index of words, as Daybook has.
    mutating func addIndexing(from dataset: Dataset, at path: String) throws {
        try Folder.copy(dataset.path(.grdb), to: "\(path)-grdb")
        let grdb = try GRDBPeer(folder: "\(path)-grdb", now: Moments.planned)
        try grdb.indexWords()
        try Folder.copy(dataset.path(.sqlite), to: "\(path)-sqlite")
        let sqlite = try SQLitePeer(folder: "\(path)-sqlite", now: Moments.planned)
        try sqlite.indexWords()
        others += [(Contestants.words, grdb), (Contestants.wordsInC, sqlite)]
    }

    func close() throws {
        for (_, peer) in peers { try peer.close() }
    }

    /// Returns one contestant for each peer, all with the same work.
    func contestants(
        jsonRounds: Int = .max, operations: Int = 1, _ body: @escaping (any Peer, Int) async throws -> Void
    ) -> [Contestant] {
        peers.map { name, peer in
            Contestant(
                name: name, rounds: name == Contestants.json ? jsonRounds : .max, operations: operations,
                run: { try await body(peer, $0) })
        }
    }

    /// Throws unless every peer shows the same tasks in the same order, and the same counts.
    func checkAgreement() throws {
        let month = try Self.month()
        for view in PeerView.allCases {
            let ids = try daybook.ids(of: view)
            for (name, peer) in peers.dropFirst() where try peer.ids(of: view) != ids {
                throw PeerFailure("\(name) does not show the tasks of \(view) that Daybook shows")
            }
        }
        let counts = try daybook.counts()
        let days = try daybook.counts(of: month)
        for (name, peer) in peers.dropFirst() {
            guard try peer.counts() == counts, try peer.counts(of: month) == days else {
                throw PeerFailure("\(name) counts other completions than Daybook")
            }
        }
    }

    /// Checks that all peers that made all changes have the same content. New tasks have different ids.
    func checkContent(after name: String) throws {
        let shown = try daybook.ids(of: .upcoming)
        for (other, peer) in peers.dropFirst() where other != Contestants.json {
            let theirs = try peer.ids(of: .upcoming)
            guard theirs.count == shown.count, name == "create" || theirs == shown,
                try peer.ids(of: .today) == daybook.ids(of: .today)
            else { throw PeerFailure("\(other) shows other tasks than Daybook after: \(name)") }
        }
    }

    /// The last month that the histories cover completely.
    static func month() throws -> Month {
        guard let month = Month(year: 2026, month: 1) else { throw PeerFailure("there is no January") }
        return month
    }
}

extension Dataset {
    /// Returns the same tasks in a separate folder, to be changed.
    func copied(to folder: String, _ stores: [RecordStore]) throws -> Dataset {
        let copy = Dataset(folder: folder, taskCount: taskCount)
        try Folder.remove(folder)
        try Folder.make(folder)
        for store in stores { try Folder.copy(path(store), to: copy.path(store)) }
        return copy
    }
}

/// The sizes, the stores and the options of a run.
struct Setup {
    let options: Options
    let scale: Scale
    /// The folder for temporary files.
    let folder: String
    let small, medium, large: Dataset

    init(_ options: Options) {
        let scale = options.isQuick ? Scale.quick : .whole
        self.options = options
        self.scale = scale
        folder = "\(options.folder)/work"
        small = Dataset(folder: "\(options.folder)/small", taskCount: scale.small)
        medium = Dataset(folder: "\(options.folder)/medium", taskCount: scale.medium)
        large = Dataset(folder: "\(options.folder)/large", taskCount: scale.large)
    }
}

/// A part of the comparison.
protocol Works {
    init(setup: Setup)
    var setup: Setup { get }
    func run(into report: inout Report) async throws
}

extension Works {
    var options: Options { setup.options }
    var scale: Scale { setup.scale }
    var folder: String { setup.folder }
    var small: Dataset { setup.small }
    var medium: Dataset { setup.medium }
    var large: Dataset { setup.large }
}
