import Daybook
import FoundationEssentials
import Measuring
import Workloads

/// Compares memory, disk space, and bytes written.
struct SpaceWorks: Works {
    let setup: Setup

    func run(into report: inout Report) throws {
        try disk(into: &report)
        try written(into: &report)
        try memory(into: &report)
    }

    private func disk(into report: inout Report) throws {
        report.begin("Bytes on the disk", "What the closed store's files have allocated.")
        for dataset in [medium, large] {
            let kinds = dataset.taskCount == large.taskCount ? [.daybook, .grdb, .sqlite] : PeerKind.allCases
            var sizes: [String: Double] = [:]
            for kind in kinds { sizes[kind.name] = Double(try DiskProbe.allocatedBytes(of: dataset.path(kind.store))) }
            report.add("\(dataset.taskCount.grouped) tasks", sizes)
        }
    }

    private func written(into report: inout Report) throws {
        let count = scale.writes * 2
        report.begin(
            "Bytes written for each operation",
            "From `/proc/self/io` over \(count.grouped) operations by one writer: the bytes passed to write calls (`wchar`), "
                + "and what the kernel counts as going to the disk (`write_bytes`), each one's checkpoints included.")
        let day = try Moments.createDay()
        let plan = try plan(count: count)
        try written("create", count, into: &report) { try $0.create(Sentences.create($1), on: day) }
        try written("change of state", count, into: &report) {
            try $0.setState(plan.states[$1].id, to: plan.states[$1].state)
        }
    }

    private func plan(count: Int) throws -> WritePlan {
        let peer = try DaybookPeer(folder: medium.path(.daybook), now: Moments.planned)
        defer { peer.close() }
        return try WritePlan(peer, count: count)
    }

    private func written(
        _ name: String, _ count: Int, into report: inout Report, _ operation: (any Peer, Int) throws -> Void
    ) throws {
        let copy = try medium.copied(to: "\(folder)/written", [.daybook, .grdb, .sqlite, .json])
        var given: [String: Double] = [:]
        var stored: [String: Double] = [:]
        for kind in PeerKind.allCases {
            let peer = try kind.type.init(folder: copy.path(kind.store), now: Moments.planned)
            let times = kind == .json ? scale.long : count
            let before = try WrittenBytes.now()
            for number in 0..<times { try operation(peer, number) }
            let after = try WrittenBytes.now()
            given[kind.name] = Double(after.given - before.given) / Double(times)
            stored[kind.name] = Double(after.stored - before.stored) / Double(times)
            try peer.close()
        }
        report.add("\(name): passed to write calls", given)
        report.add("\(name): to the disk", stored)
        try Folder.remove(copy.folder)
    }

    private func memory(into report: inout Report) throws {
        report.begin(
            "Private memory of a process",
            "That opens a store of \(large.taskCount.grouped) tasks, shows Today and the statistics and makes 1,000 creates; "
                + "the JSON file has \(medium.taskCount.grouped), and 50 creates. `Private_Clean` and `Private_Dirty` of `/proc/self/smaps`, "
                + "sampled after each step and after every 50 creates.")
        var ends: [String: Double] = [:]
        var peaks: [String: Double] = [:]
        var anonymous: [String: Double] = [:]
        var mapped: [String: Double] = [:]
        for kind in PeerKind.allCases {
            let path = (kind == .json ? medium : large).path(kind.store)
            let text = try ChildProcess.output(
                of: "/proc/self/exe", ["child", "memory", kind.rawValue, path], in: folder)
            let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard numbers.count == 6 else { throw PeerFailure("a child did not report its memory") }
            ends[kind.name] = numbers[0]
            peaks[kind.name] = numbers[3]
            mapped[kind.name] = numbers[4]
            anonymous[kind.name] = numbers[5]
        }
        report.add("peak", peaks)
        report.add("at the end", ends)
        report.add("of the peak: mapped pages of the store's files", mapped)
        report.add("memory without a file (`Anonymous`), peak", anonymous)
        report.note(
            "The mapped pages are the system's own cache of the file, of which Linux maps 64 KiB around every page that is "
                + "touched; it can take them back at any time. What only Daybook has is in the last row.")
        guard let peak = peaks[Contestants.daybook] else { return }
        report.add(
            "peak private memory: Today, statistics and 1,000 creates at \(large.taskCount.grouped)",
            target: "under 40 MB", measured: peak.bytes, holds: peak < 40e6)
    }
}
