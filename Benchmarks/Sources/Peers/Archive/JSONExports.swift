import Daybook

/// Measures how fast `daybook export` writes JSON.
struct JSONExports {
    let arena: ArchiveArena

    private static let bytesPerSecond = 80e6

    func run(into report: inout Report) async throws {
        report.begin(
            "JSON export",
            "Whole commands to a file, which is flushed. Of the small store interleaved with `daybook --version`, which does nothing."
        )
        let nothing = Contestant(name: Contestants.nothing, run: { _ in try arena.daybook(["--version"]) })
        let few = try await Interleaved.run([export(arena.small), nothing], rounds: arena.scale.short, warmUp: 2)
        let small = "\(arena.small.taskCount.grouped) tasks"
        report.add("export, \(small)", few)
        report.require(
            "JSON export of \(small)", atMost: 20e6, beyond: Contestants.nothing, whichIs: "the start of the process",
            in: few)

        let many = try await Interleaved.run([export(arena.large)], rounds: arena.scale.long, warmUp: 1)
        let large = "\(arena.large.taskCount.grouped) tasks"
        let bytes = try arena.size(file(0))
        report.add("export, \(large), \(bytes.bytes)", many)
        guard let seconds = many.first.map({ $0.median / 1e9 }) else { return }
        let speed = bytes / seconds
        report.add(
            "JSON export of \(large)", target: "at least \(Self.bytesPerSecond.bytes)/s",
            measured: "\(speed.bytes)/s", holds: speed >= Self.bytesPerSecond)
        let isSame = (try? ChildProcess.shell(#"cmp -s "$1" "$2""#, [file(0), file(1)])) != nil
        report.add(
            "JSON export of \(large), twice", target: "the same bytes",
            measured: isSame ? "the same" : "others",
            holds: isSame)
        for number in 0...1 { try Folder.remove(file(number)) }
    }

    /// Rounds alternate between two files, of which the last two are compared.
    private func export(_ dataset: Dataset) -> Contestant {
        Contestant(
            name: Contestants.daybook,
            before: { try Folder.remove(file($0)) },
            run: { round in
                try arena.daybook(["export", "-o", file(round)] + arena.store(dataset.path(.daybook)))
            })
    }

    private func file(_ round: Int) -> String { arena.path("exported-\(round % 2).json") }
}
