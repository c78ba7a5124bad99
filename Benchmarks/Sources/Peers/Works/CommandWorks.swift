import Daybook
import FoundationEssentials
import Glibc

/// Compares whole commands with Taskwarrior's.
struct CommandWorks: Works {
    let setup: Setup

    func run(into report: inout Report) async throws {
        report.begin(
            "Whole commands beside Taskwarrior's",
            "`daybook add` beside `task add`, and `daybook today` beside `task scheduled:today list`, which show the same "
                + "\(Moments.plannedTasks) tasks; from the start of the process to its end.")
        guard let program = options.program else { return report.note("No program `daybook` was named: left out.") }
        if options.taskwarrior == nil { report.note("Taskwarrior is not installed: left out.") }
        report.note(
            "`daybook add` waits for two flushes of the disk, `task add` for none; the start of a process is most of the rest."
        )
        for dataset in [medium, large] {
            try await run(dataset, program, into: &report)
        }
    }

    private func run(
        _ dataset: Dataset, _ program: String, into report: inout Report
    ) async throws {
        let isLarge = dataset.taskCount == large.taskCount
        let store = "\(folder)/commands"
        let files = options.taskwarrior.map { TaskwarriorFiles(folder: "\(folder)/taskwarrior", program: $0) }
        try Folder.copy(dataset.path(.daybook), to: store)
        try await plan(store, dataset.taskCount)
        if let files { try fill(files, from: store, isLarge: isLarge) }

        var daybooks = [(Contestants.daybook, program)]
        if let fixed = options.staticProgram { daybooks.append((Contestants.fixed, fixed)) }
        // A report of a million tasks takes Taskwarrior many seconds.
        let rounds = isLarge ? 3 : scale.long * 2
        let size = "\(dataset.taskCount.grouped) tasks"
        let add = ["add", "Buy milk and bread for the weekend"]
        let commands: [(name: String, ours: [String], theirs: [String])] = [
            ("add", add, add), ("today", ["today"], ["scheduled:today", "list"]),
        ]
        for command in commands {
            var contestants = daybooks.map { name, path in
                Contestant(
                    name: name, run: { _ in try ChildProcess.run(path, command.ours + ["--store", store]) })
            }
            if let files {
                contestants.append(
                    Contestant(
                        name: Contestants.taskwarrior, rounds: rounds,
                        run: { _ in try ChildProcess.run(files.program, command.theirs) }))
            }
            let times = try await Interleaved.run(
                contestants, rounds: scale.long * 2, warmUp: isLarge ? 0 : 1, rest: DiskRest(besides: folder))
            report.add("`\(command.name)`, \(size)", times)
            report.requireCommand(
                "`daybook \(command.name)` at \(size)", fasterThan: Contestants.taskwarrior, times: 5, in: times)
        }
        try Folder.remove(store)
        if let files { try Folder.remove(files.folder) }
    }

    /// Plans fifty uncompleted tasks for the present day, since both programs use the machine's clock.
    private func plan(_ store: String, _ taskCount: Int) async throws {
        let reader = try DaybookPeer(folder: store, now: Moments.planned)
        let ids = try reader.spreadIDs(count: Moments.plannedTasks, of: taskCount)
        reader.close()
        let daybook = try DaybookStore.open(at: store)
        defer { daybook.close() }
        try await daybook.tasks.write { transaction in
            for id in ids {
                try transaction.setState(id, to: .notStarted)
                try transaction.schedule(id, on: .today)
            }
        }
    }

    private func fill(_ files: TaskwarriorFiles, from store: String, isLarge: Bool) throws {
        try files.use()
        let daybook = try DaybookStore.open(at: store)
        defer { daybook.close() }
        if isLarge { try files.write(daybook) } else { try files.importTasks(of: daybook) }
        let shown = try daybook.tasks.today().map(\.id.lowercased)
        guard try files.today() == Set(shown), shown.count == Moments.plannedTasks else {
            throw PeerFailure("Taskwarrior shows other tasks for today than Daybook")
        }
    }
}
