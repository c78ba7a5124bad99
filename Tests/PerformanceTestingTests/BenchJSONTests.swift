import Daybook
import Foundation
import Measuring
import Testing

@testable import PerformanceTesting

@Suite struct BenchJSONTests {
    private func object(_ report: BenchReport) throws -> [String: Any] {
        var writer = JSONWriter()
        report.write(to: &writer)
        return try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
    }

    /// Returns every key with its path.
    private static func keys(of value: Any, below path: String = "") -> Set<String> {
        if let object = value as? [String: Any] {
            return object.reduce(into: []) { keys, entry in
                keys.insert(path + entry.key)
                keys.formUnion(Self.keys(of: entry.value, below: path + entry.key + "."))
            }
        }
        return (value as? [Any] ?? []).reduce(into: []) { $0.formUnion(Self.keys(of: $1, below: path)) }
    }

    @Test("The report contains the budgets under their documented keys")
    func theReportContainsTheBudgetsUnderTheirDocumentedKeys() throws {
        let object = try object(ReportFixture.bad)
        #expect(object["ok"] as? Bool == false)
        #expect(object["verdict"] as? String == "worse")
        #expect(object["tasks"] as? Int == 1000)
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["operation"] as? String } == ["today", "export", "reorder"])
        #expect(rows.map { $0["holds"] as? Bool } == [true, true, false])
        #expect(rows[0]["runs"] as? Int == 4)
        #expect(rows[0]["budgetNanoseconds"] as? Int == 200_000_000)
        #expect(rows[0]["p50Nanoseconds"] as? Int == 22_000)
        #expect(rows[0]["p99Nanoseconds"] as? Int == 70_000)
        #expect(rows[0]["maxNanoseconds"] as? Int == 70_000)
        #expect(rows[1]["floor"] is NSNull)
        #expect(rows[0]["requirements"] as? [String] == ["C-NFR5", "C-FR9"])
        let sizes = try #require(object["sizes"] as? [[String: Any]])
        #expect(sizes[0]["requirements"] as? [String] == ["C-NFR11"])
        #expect(try self.object(ReportFixture.good)["ok"] as? Bool == true)
    }

    @Test("Every key is documented")
    func everyKeyIsDocumented() throws {
        let keys = Self.keys(of: try object(ReportFixture.bad))
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manual = try String(contentsOf: root.appending(path: "Documentation/Benchmarks.md"), encoding: .utf8)
        for key in keys {
            let name = key.split(separator: ".").last.map(String.init) ?? key
            // The kinds of count have a separate table.
            #expect(manual.contains("`\(name)`") || manual.contains("\"\(name)\""), "\(key)")
        }
        #expect(keys.isSuperset(of: ["scale.points.p50Nanoseconds", "counts.sums.gets", "comparisons.ratio.high"]))
    }

    @Test("A number that JSON cannot represent is null")
    func aNumberThatJSONCannotRepresentIsNull() throws {
        var report = ReportFixture.empty
        report.comparisons = [
            Comparison(operation: "x", ratio: PairedRatio([.infinity]), limit: 1, outcome: .inconclusive)
        ]
        let rows = try #require(try object(report)["comparisons"] as? [[String: Any]])
        #expect((rows[0]["ratio"] as? [String: Any])?["high"] is NSNull)
    }

    @Test("An empty report contains every list")
    func anEmptyReportContainsEveryList() throws {
        let object = try object(ReportFixture.empty)
        for key in ["findings", "rows", "sizes", "scale", "counts", "comparisons"] {
            #expect((object[key] as? [Any])?.isEmpty == true, "\(key)")
        }
    }
}
