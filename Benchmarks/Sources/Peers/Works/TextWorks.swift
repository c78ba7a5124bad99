import Daybook

/// Searches by the beginning of a text.
struct TextWorks: Works {
    let setup: Setup

    private static let hits = 50
    private static let limit = 100_000.0

    func run(into report: inout Report) async throws {
        let count = scale.large
        let names = (0..<count).map { "Group \(String(1_000_000 + $0 / Self.hits)), member \($0 % Self.hits)" }
        report.begin(
            "The \(Self.hits) names that begin with a text, of \(count.grouped)",
            "An exact prefix, in any case. Daybook by an index of text keys, GRDB by an index over the lower-case name; "
                + "both return all \(Self.hits) records.")
        try Folder.remove("\(folder)/names")
        try Folder.make("\(folder)/names")
        let store = try NamedStore(folder: "\(folder)/names/daybook", names: names)
        let table = try GRDBNames(path: "\(folder)/names/grdb.sqlite", names: names)
        // Another group in each round, so that no round finds everything in the processor's caches.
        let text = { (round: Int) in "GROUP \(1_000_000 + (round &* 7919) % (count / Self.hits)), " }
        for round in 0..<10 {
            let found = try store.names(beginning: text(round))
            guard found.count == Self.hits, try found == table.names(beginning: text(round)) else {
                throw PeerFailure("Daybook and GRDB do not find the same names")
            }
        }
        let times = try await Interleaved.run(
            [
                Contestant(name: Contestants.daybook, run: { _ = try store.names(beginning: text($0)) }),
                Contestant(name: Contestants.grdb, run: { _ = try table.names(beginning: text($0)) }),
            ], rounds: scale.reads, warmUp: 20)
        report.add("prefix, \(Self.hits) of \(count.grouped)", times)
        let what = "names by their beginning, \(Self.hits) of \(count.grouped)"
        report.require(what, under: Self.limit, in: times)
        report.compare(what, fasterThan: Contestants.grdb, because: "reported", in: times)
        store.close()
        try table.close()
        try Folder.remove("\(folder)/names")
    }
}
