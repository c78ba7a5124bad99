import Foundation
import Testing

@testable import DaybookCommand
@testable import Workloads

/// S-5, S-53: what every operation does is agreed on in a file beside the code, and this is the gate that keeps it.
@Suite(.serialized) struct BaselineCountTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Benchmarks/baseline.json").standardizedFileURL.path

    @Test func `counts of every operation are those of the baseline`() async throws {
        let baseline = try BaselineFile(path: Self.path).read()
        let counted = try await counts(of: Operation.all.filter(\.isCounted))
        let findings = baseline.findings(for: counted)
        // Another LMDB or larger pages write other pages: nothing can be said there, and nothing is.
        #expect(findings.filter { $0.verdict == .worse } == [])
        if counted.lmdb == baseline.lmdb, counted.pageSize == baseline.pageSize { #expect(findings == []) }
    }

    @Test(arguments: SelfTest.ExtraWork.allCases)
    func `one flush or put too many is seen`(extra: SelfTest.ExtraWork) async throws {
        let create = try #require(Operation.named("create"))
        let plain = try await counts(of: [create])
        let more = try await counts(of: [create], extra)
        let findings = Baseline(plain).findings(for: more)
        #expect(findings.contains { $0.subject == "create" && $0.verdict == .worse })
        #expect(Baseline(plain).findings(for: try await counts(of: [create])) == [])
    }

    private func counts(
        of operations: [Workloads.Operation], _ extra: SelfTest.ExtraWork? = nil
    ) async throws -> CountedRun {
        try await withFolder { folder in
            let counting = try await CountRun(in: folder)
            var run = counting.emptyRun
            for operation in operations {
                if let extra {
                    run.counts.append(try await counting.count(operation, extra.options))
                } else {
                    run.counts.append(try await counting.count(operation))
                }
            }
            return run
        }
    }

    private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/daybook-counts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}
