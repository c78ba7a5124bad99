/// The lines in which two states differ, for a report.
enum Difference {
    static func between(_ expected: [String], _ found: [String]) -> String {
        let missing = expected.filter { !found.contains($0) }.map { "- \($0)" }
        let added = found.filter { !expected.contains($0) }.map { "+ \($0)" }
        let lines = missing + added
        if lines.isEmpty { return expected == found ? "the same tasks, but other bytes" : "the same in another order" }
        return lines.prefix(12).joined(separator: "; ")
    }
}
