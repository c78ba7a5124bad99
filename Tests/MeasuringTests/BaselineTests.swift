import Testing

@testable import Measuring

@Suite struct BaselineTests {
    private let run = CountedRun.sample

    @Test("A run has no findings against its own baseline")
    func ownBaseline() {
        #expect(Baseline(run).findings(for: run) == [])
    }

    @Test("A baseline reads back unchanged, and its bytes are deterministic")
    func roundTrip() throws {
        let baseline = Baseline(run)
        let bytes = try baseline.contents()
        #expect(try Baseline(reading: bytes) == baseline)
        #expect(try Baseline(reading: bytes).contents() == bytes)
    }

    @Test("A baseline file has one value a line, in order")
    func hasOneValueALineInOrder() throws {
        let lines = String(decoding: try Baseline(run).contents(), as: UTF8.self).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count(where: { $0 == ":" }) <= 1 })
        let create = try #require(lines.firstIndex { $0.contains("\"create\"") })
        let today = try #require(lines.firstIndex { $0.contains("\"today\"") })
        #expect(create < today)
        #expect(lines.contains { $0.contains("\"flushes\" : 200") })
    }

    @Test(
        "Any difference of a count is worse, higher or lower",
        arguments: ExactCounts.Kind.allCases.filter(\.isUniversal),
        [1, -1])
    func differentCount(kind: ExactCounts.Kind, difference: Int) throws {
        let findings = Baseline(run).findings(for: run.changing("create", kind) { $0 + difference })
        let finding = try #require(findings.first)
        #expect(findings.count == 1)
        #expect(finding.subject == "create" && finding.rule == .count && finding.verdict == .worse)
        #expect(finding.message.contains(kind.title) && finding.message.contains("--write-baseline FILE"))
        #expect(finding.message.contains(difference > 0 ? "+0.01 a run" : "-0.01 a run"))
    }

    @Test("A finding names the old and the new count and the difference per run")
    func findingText() throws {
        let finding = try #require(Baseline(run).findings(for: run.changing("create", .flushes) { $0 + 100 }).first)
        #expect(
            finding.message == """
                create: 300 flushes in 100 runs, 200 in the baseline (+1.00 a run). If it is meant, run with \
                --write-baseline FILE and have the change reviewed.
                """)
    }

    @Test("A different store size is worse")
    func storeSize() {
        var other = run
        other.storeBytes? += 4096
        #expect(Baseline(run).findings(for: other).map(\.subject) == ["store"])
    }

    @Test("A different snapshot size is worse, larger or smaller")
    func snapshotSize() throws {
        for difference in [1, -1] {
            var other = run
            other.snapshotBytes? += difference
            let findings = Baseline(run).findings(for: other)
            #expect(findings.map(\.subject) == ["snapshot"] && findings.map(\.verdict) == [.worse])
            #expect(try #require(findings.first).message.contains("60000 in the baseline"))
        }
    }

    @Test("Snapshot sizes of another zstd version are kept but not compared")
    func otherZstd() {
        var other = run
        other.zstd = "1.5.7"
        other.snapshotBytes? += 100
        #expect(Baseline(run).findings(for: other) == [])
        let both = Baseline(other, keeping: Baseline(run))
        #expect(both.snapshotBytes == ["1.5.4": 60_000, "1.5.7": 60_100])
        #expect(both.findings(for: run) == [] && both.findings(for: other) == [])
    }

    @Test("Within one toolchain, allocations are exact and instructions within one percent")
    func sameToolchain() {
        let baseline = Baseline(run)
        #expect(baseline.findings(for: run.changing("today", .allocations) { $0 + 1 }).map(\.verdict) == [.worse])
        #expect(baseline.findings(for: run.changing("today", .instructions) { $0 + $0 / 100 }) == [])
        #expect(baseline.findings(for: run.changing("today", .instructions) { $0 - $0 / 100 }) == [])
        #expect(
            baseline.findings(for: run.changing("today", .instructions) { $0 + $0 / 90 }).map(\.verdict) == [.worse])
        #expect(
            baseline.findings(for: run.changing("today", .instructions) { $0 - $0 / 90 }).map(\.verdict) == [.worse])
    }

    @Test("Allocations and instructions of another toolchain are not compared")
    func otherToolchain() {
        var other = run.changing("today", .allocations) { $0 * 2 }.changing("today", .instructions) { $0 * 2 }
        other.toolchain = "another"
        #expect(Baseline(run).findings(for: other) == [])
    }

    @Test("Updating a baseline keeps the counts of other toolchains")
    func keepsToolchains() {
        var other = run.changing("today", .allocations) { $0 * 2 }
        other.toolchain = "another"
        let both = Baseline(other, keeping: Baseline(run))
        #expect(both.findings(for: run) == [] && both.findings(for: other) == [])
        #expect(both.toolchains.keys.sorted() == ["another", "test"])
    }

    @Test("Updating a baseline with some operations keeps the others")
    func keepsOperations() {
        var some = run.changing("create", .puts) { $0 + 1 }
        some.counts.removeAll { $0.operation != "create" }
        some.isComplete = false
        let baseline = Baseline(some, keeping: Baseline(run))
        #expect(baseline.findings(for: run.changing("create", .puts) { $0 + 1 }) == [])
        some.isComplete = true
        #expect(Baseline(some, keeping: Baseline(run)).operations.keys.sorted() == ["create"])
    }

    @Test("A count that only one side has is a finding")
    func missingCounts() {
        var fewer = run
        fewer.counts.removeFirst()
        #expect(Baseline(run).findings(for: fewer).map(\.subject) == ["create"])
        #expect(Baseline(fewer).findings(for: run).map(\.verdict) == [.worse])
        fewer.isComplete = false
        #expect(Baseline(run).findings(for: fewer) == [])
    }

    @Test("A kind that was not counted is inconclusive, and a new kind is worse")
    func missingKinds() {
        let lacking = run.changing("create", .pagesRead) { _ in nil }
        #expect(Baseline(run).findings(for: lacking).map(\.verdict) == [.inconclusive])
        #expect(Baseline(lacking).findings(for: run).map(\.verdict) == [.worse])
    }

    @Test("Runs under other conditions cannot be compared")
    func otherConditions() {
        var others = Array(repeating: run, count: 5)
        others[0].size += 1
        others[1].seed += 1
        others[2].pageSize = 16_384
        others[3].lmdb = "0.9.99"
        others[4].counts = run.counts.map { ExactCounts(operation: $0.operation, runs: 50, values: $0.values) }
        for other in others {
            // Whatever other differences there are.
            let findings = Baseline(run).findings(for: other.changing("create", .puts) { $0 + 1 })
            #expect(GateVerdict(findings) == .inconclusive)
        }
    }

    @Test(
        "A file that is not a baseline is rejected",
        arguments: ["", "{}", "[1]", "{\"format\": \"x\"}", "{\"format\": 1}", "{\"format\": 2}", "no JSON"])
    func malformed(text: String) {
        #expect(throws: BaselineError.malformed) { try Baseline(reading: Array(text.utf8)) }
    }

    @Test("A newer format is reported as such, whatever else the file contains")
    func newerFormat() {
        #expect(throws: BaselineError.newerFormat(3)) { try Baseline(reading: Array("{\"format\": 3}".utf8)) }
    }

    @Test("A file of the first format, whose stores had nothing but tasks, is read")
    func firstFormat() throws {
        let text = try String(decoding: Baseline(run).contents(), as: UTF8.self)
            .replacing("\"format\" : 2", with: "\"format\" : 1").replacing("\"size\"", with: "\"taskCount\"")
            .replacing("\"storeBytesPerThousand\"", with: "\"storeBytesPerThousandTasks\"")
        let baseline = try Baseline(reading: Array(text.utf8))
        #expect(baseline.format == 1 && baseline.findings(for: run) == [])
        // Written again, it is one of the newest.
        #expect(Baseline(run, keeping: baseline) == Baseline(run))
    }

    @Test("A run without a store has a baseline without one")
    func noStore() throws {
        var plain = run
        (plain.size, plain.pageSize, plain.lmdb, plain.storeBytes, plain.snapshotBytes) = (0, nil, nil, nil, nil)
        let baseline = try Baseline(reading: Baseline(plain).contents())
        #expect(baseline.findings(for: plain) == [])
        #expect(baseline.findings(for: plain.changing("create", .flushes) { $0 + 1 }).map(\.verdict) == [.worse])
        #expect(GateVerdict(baseline.findings(for: run)) == .inconclusive)
    }

    @Test("A truncated file is malformed at every length")
    func truncated() throws {
        let bytes = try Baseline(run).contents()
        // Without its last line break it is complete.
        for length in 0..<bytes.count - 1 {
            #expect(throws: BaselineError.malformed) { try Baseline(reading: Array(bytes.prefix(length))) }
        }
    }
}

extension CountedRun {
    /// Two operations with every count.
    static let sample = CountedRun(
        size: 1000, seed: 1, pageSize: 4096, lmdb: "0.9.24", toolchain: "test", storeBytes: 800_000,
        snapshotBytes: 60_000, zstd: "1.5.4",
        counts: ["create", "today"].map { name in
            ExactCounts(
                operation: name, runs: 100,
                values: Dictionary(
                    uniqueKeysWithValues: ExactCounts.Kind.allCases.enumerated().map {
                        ($1, $1 == .flushes ? 200 : 1000 * ($0 + 1))
                    }))
        })

    func changing(
        _ operation: String, _ kind: ExactCounts.Kind, _ change: (Int) -> Int?
    ) -> CountedRun {
        var changed = self
        for index in changed.counts.indices where changed.counts[index].operation == operation {
            changed.counts[index].values[kind] = changed.counts[index].values[kind].flatMap(change)
        }
        return changed
    }
}
