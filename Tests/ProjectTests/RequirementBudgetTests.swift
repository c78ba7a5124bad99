import Foundation
import Measuring
import Testing
import Workloads

/// The requirements about time and size, and what measures them.
@Suite struct RequirementBudgetTests {
    /// Those that `.ci/run` judges on each change: budgets of operations and of sizes.
    private static let judged: Set = [
        "C-NFR1", "C-NFR2", "C-NFR3", "C-NFR4", "C-NFR5", "C-NFR6", "C-NFR8", "C-NFR9", "C-NFR11", "C-AD4", "C-S1.11",
        "C-S3.10", "C-S6.2", "C-S6.3", "C-S6.4", "C-S6.5", "C-S6.6", "C-S7.6", "J-PF1", "L-NFR1", "L-NFR2", "S-32",
    ]

    /// Those that are measured beside other work, over many records or at length, by `daybook bench --requirements`.
    private static let measured: Set = [
        "C-AD9", "C-NFR7", "C-NFR10", "C-S6.6", "C-S7.6", "F-13", "J-MG4", "J-OP7", "J-PF2", "J-PF3", "J-PF4", "J-PF5",
        "J-PF6", "L-DM4", "L-NFR1", "L-NFR2", "L-NFR23", "P-OP8", "P-OP9",
    ]

    private static func missing(_ operations: [Workloads.Operation]) -> Set<String> {
        judged.subtracting(operations.flatMap(\.requirements) + MeasuredSize.allCases.compactMap(\.requirement))
    }

    @Test("Each requirement about time or size is named by a budget or a row")
    func named() {
        #expect(Self.missing(Operation.all).isEmpty)
        #expect(Self.measured.subtracting(RequirementRun.requirements.joined()).isEmpty)
    }

    private static let promised: [([String], Int64)] = [
        // From the start to a saved task: what is opened, and what is written.
        (["open", "create"], 3_000), (["today"], 200), (["upcoming"], 200), (["views"], 200), (["open"], 1_000),
        (["open-killed"], 1_000), (["list-500"], 10), (["page-1"], 16), (["page-1000"], 16),
    ]

    @Test(
        "Budgets are those that the documents state, for the start, views and lists [C-FR2, C-FR39, C-NFR20, L-NFR5, L-PR7]",
        arguments: promised)
    func stated(operations: [String], milliseconds: Int64) throws {
        let budgets = try operations.map { try #require(Operation.named($0)).budget }
        #expect(budgets.reduce(0, +) <= milliseconds * 1_000_000)
        #expect(budgets.allSatisfy { $0 > 0 })
    }

    @Test("Every interactive operation is judged at 50 ms or less [C-FR41]")
    func interactive() throws {
        let names = [
            "today", "upcoming", "inbox-100", "past-100", "views", "list-500", "order-preview", "page-1", "statistics",
            "create", "create-shown", "change-state", "reorder", "schedule", "delete", "undo",
        ]
        for name in names { #expect(try #require(Operation.named(name)).budget <= 50_000_000, "\(name)") }
    }

    @Test(
        "A budget that is removed leaves its requirement without one",
        arguments: [("open-journal", "J-PF1"), ("change-state", "C-NFR3"), ("statistics-all", "C-NFR6")])
    func removed(operation: String, requirement: String) {
        #expect(Self.missing(Operation.all.filter { $0.name != operation }).contains(requirement))
    }

    @Test("CI judges budgets and the page alone, and prints the card's figures [S-56] [S-69, J-MT5, F-24]")
    func inCI() throws {
        let text = try String(contentsOf: SourceTree.root.appending(path: ".ci/run"), encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        for alone in ["part budgets", "part web --test-page"] {
            let before = lines[..<(try #require(lines.firstIndex(of: alone)))]
            let begin = try #require(before.lastIndex { $0.hasPrefix("begin_beside ") })
            #expect(before[begin...].contains("end_beside"), "\(alone)")
        }
        for figure in ["create-shown", "statistics-all"] {
            let operation = try #require(Operation.named(figure))
            #expect(operation.budget == (figure == "create-shown" ? 50_000_000 : 500_000_000))
            #expect(text.contains(figure), "\(figure)")
        }
        let script = try String(contentsOf: SourceTree.root.appending(path: "Scripts/budgets"), encoding: .utf8)
        #expect(script.contains("bench --check --baseline Benchmarks/baseline.json"))
    }
}
