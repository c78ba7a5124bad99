import CivilTime
import Foundation
import TestSupport
import Testing

@testable import ProgramCrashes

/// A program under test, with its folders.
struct TestedProgram {
    let scratch = TemporaryFolder(on: .memory)
    var options: ProgramCrashOptions

    init(before: String? = nil, work: String, check: String = TestedProgram.check) {
        options = ProgramCrashOptions(work: work, check: check, scratch: scratch.path)
        options.before = before
        options.report = scratch.file("report")
        options.jobs = 2
    }

    /// A file `f` with lines, to which three are added.
    static func lines(_ work: String) -> TestedProgram {
        TestedProgram(
            before: "echo 'old 1' > f; echo 'old 1'", work: "for i in 1 2 3; do \(work) && echo \"new $i\"; done")
    }

    /// Every acknowledged line must be in the file `f`.
    static let check = """
        [ -f f ] || { echo 'destroyed: f is missing'; exit 1; }
        while read -r line; do
            grep -qx "$line" f && continue
            case "$line" in old*) echo "destroyed: $line"; exit 1;; *) kind="lost: $line";; esac
        done
        [ -z "$kind" ] || { echo "$kind"; exit 1; }
        """

    func run(_ disks: [DiskModel] = DiskModel.allCases) throws -> ProgramCrashReport {
        var options = options
        options.disks = disks
        return try ProgramCrashTest(options, clock: SystemClock()).run()
    }

    /// The error for which a program cannot be tested.
    func error() throws -> ProgramCrashError {
        try #require(#expect(throws: ProgramCrashError.self) { try run([.killed]) })
    }

    static let torturing = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("TracedProcess").path
}

extension ProgramCrashReport {
    /// The images of a disk: how many distinct ones, and how many of them are broken, by kind.
    func result(_ model: DiskModel) throws -> DiskResult {
        let disk = try #require(disks.first { $0.model == model })
        return DiskResult(distinct: disk.distinct, broken: disk.broken)
    }

    func example(_ kind: String) throws -> Example { try #require(examples.first { $0.kind == kind }) }
}

struct DiskResult: Equatable {
    var distinct: Int
    var broken: [String: Int] = [:]
}
