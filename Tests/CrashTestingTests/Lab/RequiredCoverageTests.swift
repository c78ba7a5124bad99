import KeyValue
import Testing

@testable import CrashTesting

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

    @Test("A run that tried each kind once misses none, and one without a kind misses just that")
    func full() {
        #expect(RequiredCoverage.unreached(in: coverage()) == [])
        for name in all { #expect(RequiredCoverage.unreached(in: coverage(without: name)) == [name]) }
        let coverage = self.coverage()
        coverage.recoveriesInterrupted = 0
        #expect(RequiredCoverage.unreached(in: coverage) == ["a recovery that is interrupted"])
    }

    @Test("What has to be reached bears the names under which it is counted")
    func names() throws {
        let groups = Dictionary(uniqueKeysWithValues: RequiredCoverage.groups.map { ($0, Set($1)) })
        let images = ["keep=none", "keep=0-3", "keep=1-3", "keep=2", "keep=0-1", "keep=0/tear=1:no"].flatMap { text in
            ["", "/tail=zeros", "/tail=garbage"].map { text + $0 }
        }
        let classes = try images.map { try #require(ImageRecipe($0)).className(of: 4) }
        #expect(groups["images"]?.isSubset(of: classes) == true)

        let answers: [FaultAnswer] = [.isIn, .isOut(stops: true, ""), .isOut(stops: false, ""), .isUnknown("")]
        #expect(groups["answers to faults"] == Set(answers.map(\.name)))
        let kinds = DiskCall.Kind.allCases.map { "\($0)" }
        #expect(groups["crash points"]?.subtracting(kinds) == ["acknowledged"])
    }

    @Test("A report is clean only without violations, with all kinds reached and with every canary found")
    func clean() {
        let options = CrashLabOptions(seed: 1, scratch: "")
        #expect(CrashReport(options: options).isClean)
        var report = CrashReport(options: options)
        report.violations = [CrashViolation(recipe: "", problem: "")]
        #expect(!report.isClean)
        report = CrashReport(options: options)
        report.unreached = ["faults"]
        #expect(!report.isClean)
        report = CrashReport(options: options)
        report.canaries = [
            CanaryResult(name: "one", trialsUntilFound: 3, finding: ""),
            CanaryResult(name: "two", trialsUntilFound: nil, finding: ""),
        ]
        #expect(!report.isClean)
        report.canaries.removeLast()
        #expect(report.isClean)
    }
}
