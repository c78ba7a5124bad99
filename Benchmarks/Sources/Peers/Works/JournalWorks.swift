import Daybook
import FoundationEssentials

/// Compares commands about a journal with jrnl's.
struct JournalWorks: Works {
    let setup: Setup

    private static let factor = 20.0
    /// Also with small stores: the target is about this size.
    private static let entryCount = 10_000
    private static let shownCount = 5
    private static let text = "Planted roses beside the wall, and watered them well"

    private var store: String { "\(folder)/journal-store" }

    func run(into report: inout Report) async throws {
        report.begin(
            "A journal beside jrnl's",
            "`daybook journal write` beside `jrnl TEXT`, and `daybook journal read --last --limit \(Self.shownCount)` beside "
                + "`jrnl -n \(Self.shownCount)`, which show the same entries; from the start of the process to its end."
        )
        guard let program = options.program else { return report.note("No program `daybook` was named: left out.") }
        guard let jrnl = options.jrnl else { return report.note("jrnl is not installed: left out.") }
        report.note(
            "`daybook journal write` waits for two flushes of the disk, `jrnl` for none; it writes the whole file.")
        let files = JrnlFiles(folder: "\(folder)/jrnl", program: jrnl)
        try files.make(entries: Self.entryCount)
        try fill(from: files)
        try compare(files)

        let size = "\(Self.entryCount.grouped) entries"
        let read = ["journal", "read", JrnlFiles.title, "--last", "--limit", "\(Self.shownCount)"]
        let works: [(name: String, command: String, ours: [String], theirs: [String])] = [
            ("a new entry", "journal write", ["journal", "write", JrnlFiles.title, Self.text], [Self.text]),
            ("the last five entries", "journal read", read, ["-n", "\(Self.shownCount)"]),
        ]
        var daybooks = [(Contestants.daybook, program)]
        // An older installation has no journals.
        let fixed = options.staticProgram.flatMap { path in
            (try? ChildProcess.run(path, ["journal", "threads", "--store", store])).map { path }
        }
        if let fixed {
            daybooks.append((Contestants.fixed, fixed))
        } else if options.staticProgram != nil {
            report.note("The installed `daybook` has no journals: left out. `Scripts/install` builds it again.")
        }
        for work in works {
            var contestants = daybooks.map { name, path in
                Contestant(name: name, run: { _ in try ChildProcess.run(path, work.ours + ["--store", store]) })
            }
            contestants.append(
                Contestant(
                    name: Contestants.jrnl, run: { _ in try ChildProcess.run(jrnl, files.arguments(work.theirs)) }))
            let times = try await Interleaved.run(
                contestants, rounds: scale.long * 2, warmUp: 1, rest: DiskRest(besides: folder))
            report.add("\(work.name), \(size)", times)
            report.requireCommand(
                "`daybook \(work.command)`, \(work.name) at \(size)", fasterThan: Contestants.jrnl,
                times: Self.factor, in: times)
        }
        try compare(files)
        try Folder.remove(store)
        try Folder.remove(files.folder)
    }

    /// Imports jrnl's own file.
    private func fill(from files: JrnlFiles) throws {
        try Folder.remove(store)
        let daybook = try DaybookStore.open(at: store)
        defer { daybook.close() }
        let bytes = FileManager.default.contents(atPath: files.journal) ?? Data()
        let report = try daybook.files.importJournal(Array(bytes), name: JrnlFiles.title)
        guard report.imported == Self.entryCount else {
            throw PeerFailure("only \(report.imported) entries were imported")
        }
    }

    /// Checks that both journals end with the same entries.
    private func compare(_ files: JrnlFiles) throws {
        let daybook = try DaybookStore.open(at: store)
        defer { daybook.close() }
        let entries = try daybook.journals.read { reading in
            let thread = try reading.findThread(JrnlFiles.title)
            return try reading.page(of: thread.id, at: .end, limit: Self.shownCount).records
        }
        let shown = entries.map { String($0.content.prefix { !$0.isNewline }) }
        let theirs = try files.last(Self.shownCount)
        guard shown.count == Self.shownCount, shown == theirs else {
            throw PeerFailure("jrnl ends with other entries than Daybook: \(theirs), \(shown)")
        }
    }
}
