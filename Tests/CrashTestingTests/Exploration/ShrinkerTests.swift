import DiskRecording
import DomainPacks
import KeyValue
import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct ShrinkerTests {
    struct Unrunnable: Error {}

    private func violation(_ workload: LabWorkload) -> CrashViolation {
        CrashViolation(reproducer: workload.text, problem: "broken")
    }

    /// Returns what remains of a workload that is broken while it has some steps in this order.
    private func shrunk(_ workload: LabWorkload, needs needed: [LabStep]) throws -> LabWorkload? {
        let found = try Shrinker { candidate in
            var rest = needed[...]
            for step in candidate.steps where step == rest.first { rest.removeFirst() }
            return rest.isEmpty ? self.violation(candidate) : nil
        }.shrink(workload)
        return try found.map { try #require(LabWorkload($0.reproducer)) }
    }

    /// Returns a workload of distinct steps.
    private func workload(_ count: Int) -> LabWorkload {
        LabWorkload(steps: (0..<count).map { LabStep(LabOperation.all(of: TaskPack.self)[$0 % 12], draw: $0) })
    }

    @Test("Exactly the required steps remain, wherever they are in the workload")
    func minimal() throws {
        let workload = workload(11)
        for first in 0..<11 {
            for second in first + 1..<11 {
                let needed = [workload.steps[first], workload.steps[second]]
                #expect(try shrunk(workload, needs: needed)?.steps == needed, "\(first) and \(second)")
            }
        }
    }

    @Test("A random choice of required steps remains of a long workload", arguments: TestBudget.range(6, long: 20))
    func long(seed: UInt64) throws {
        var bits = SeededGenerator(seed: seed)
        let workload = workload(200)
        let needed = workload.steps.filter { _ in bits.number(below: 30) == 0 }
        #expect(try shrunk(workload, needs: needed)?.steps == needed)
    }

    @Test("Nothing remains of steps that are not required")
    func nothing() throws {
        #expect(try shrunk(workload(7), needs: [])?.steps == [])
    }

    @Test("A workload that cannot be shortened is not reported twice", arguments: [0, 1, 2, 7])
    func alreadyShort(count: Int) throws {
        let workload = workload(count)
        #expect(try shrunk(workload, needs: workload.steps) == nil)
    }

    @Test("Base, map size and broken promise are kept; a rebuild is removed if it is not required")
    func rest() throws {
        var workload = workload(5)
        workload.base = .older
        workload.mapSize = 1 << 18
        workload.rebuilds = true
        workload.injectionPoint = .neverFlushes
        let found = try #require(try shrunk(workload, needs: [workload.steps[3]]))
        #expect(found.text == "older/262144:schedule.3!neverFlushes")
        let rebuilt = try Shrinker { $0.rebuilds ? violation($0) : nil }.shrink(workload)
        #expect(rebuilt?.reproducer == "older/262144:rebuild!neverFlushes")
    }

    @Test("A shorter workload that does not run does not count as broken")
    func unrunnable() throws {
        let workload = workload(8)
        let found = try Shrinker { candidate in
            // Step 5 needs what step 2 has created.
            if candidate.steps.contains(workload.steps[5]), !candidate.steps.contains(workload.steps[2]) {
                throw Unrunnable()
            }
            return candidate.steps.contains(workload.steps[5]) ? violation(candidate) : nil
        }.shrink(workload)
        #expect(found?.reproducer == LabWorkload(steps: [workload.steps[2], workload.steps[5]]).text)
    }

    @Test("The reported problem belongs to the reported workload")
    func lastFound() throws {
        let workload = workload(9)
        let found = try Shrinker { candidate in
            candidate.steps.contains(workload.steps[4])
                ? CrashViolation(reproducer: candidate.text, problem: "\(candidate.steps.count) steps") : nil
        }.shrink(workload)
        #expect(found == CrashViolation(reproducer: "small:delete.4", problem: "1 steps"))
    }
}

@Suite struct RequiredCoverageTests {
    private func coverage(without missing: String? = nil) -> Coverage {
        let coverage = Coverage()
        for (group, names) in RequiredCoverage.groups {
            for name in names where "\(group): \(name)" != missing { coverage.count(group, name) }
        }
        coverage.recoveriesInterrupted = 1
        return coverage
    }

    private var all: [String] { RequiredCoverage.groups.flatMap { group, names in names.map { "\(group): \($0)" } } }

    @Test("A run that tried nothing misses every kind, each once")
    func empty() {
        let unreached = RequiredCoverage.unreached(in: Coverage())
        #expect(unreached == all + ["a recovery that is interrupted"])
        #expect(Set(unreached).count == unreached.count)
        #expect(RequiredCoverage.count == unreached.count)
    }

    @Test("A run that tried every kind misses none; without one kind, it misses exactly that")
    func full() {
        #expect(RequiredCoverage.unreached(in: coverage()) == [])
        for name in all { #expect(RequiredCoverage.unreached(in: coverage(without: name)) == [name]) }
        let coverage = self.coverage()
        coverage.recoveriesInterrupted = 0
        #expect(RequiredCoverage.unreached(in: coverage) == ["a recovery that is interrupted"])
    }

    @Test("Required kinds have the names under which they are counted")
    func names() throws {
        let groups = Dictionary(uniqueKeysWithValues: RequiredCoverage.groups.map { ($0, Set($1)) })
        let images = ["keep=none", "keep=0-3", "keep=1-3", "keep=2", "keep=0-1", "keep=0/tear=1:no"].flatMap { text in
            ["", "/tail=zeros", "/tail=garbage"].map { text + $0 }
        }
        let classes = try images.map { try #require(CrashOutcome($0)).className(of: 4) }
        #expect(groups["images"]?.isSubset(of: classes) == true)

        let answers: [ReportedResult] = [
            .committed, .notCommitted(stops: true, ""), .notCommitted(stops: false, ""), .commitUnknown(""),
        ]
        #expect(groups["answers to faults"] == Set(answers.map(\.name)))
        let kinds = DiskCall.Kind.allCases.map { "\($0)" }
        #expect(groups["crash points"]?.subtracting(kinds) == ["acknowledged"])
    }

    @Test(
        "A report is clean only without violations, with all kinds reached and every negative control detected [S-52]")
    func clean() {
        let options = CrashLabOptions(seed: 1, scratch: "")
        #expect(CrashReport(options: options).isClean)
        var report = CrashReport(options: options)
        report.violations = [CrashViolation(reproducer: "", problem: "")]
        #expect(!report.isClean)
        report = CrashReport(options: options)
        report.unreached = ["faults"]
        #expect(!report.isClean)
        report = CrashReport(options: options)
        report.negativeControls = [
            NegativeControlResult(name: "one", trialsUntilFound: 3, finding: ""),
            NegativeControlResult(name: "two", trialsUntilFound: nil, finding: ""),
        ]
        #expect(!report.isClean)
        report.negativeControls.removeLast()
        #expect(report.isClean)
    }
}
