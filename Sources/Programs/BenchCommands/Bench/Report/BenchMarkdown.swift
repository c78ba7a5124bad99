import CommandSupport
import LabSupport
import Workloads

/// A report as Markdown for a pull request: the verdict, the findings, and collapsed tables.
struct BenchMarkdown {
    let report: BenchReport

    /// The maximum length of a comment, with a margin: GitHub accepts 65,536 characters.
    static let sizeMax = 60_000

    var text: String {
        let verdict = BenchVerdict(report)
        let mark =
            switch verdict.outcome {
            case .holds: "✅"
            case .worse: "❌"
            case .inconclusive: "❔"
            }
        var text = "### \(mark) daybook bench: \(Self.escaped(verdict.line))\n\n"
        let end = "\n<sub>\(Self.escaped(foot))</sub>\n"
        for (number, finding) in verdict.findings.enumerated() {
            let line = "- \(finding.verdict == .worse ? "**worse**" : "unsure") · \(Self.escaped(finding.message))\n"
            guard text.utf8.count + line.utf8.count + end.utf8.count < Self.sizeMax / 2 else {
                text += "- and \(Figures.counted(verdict.findings.count - number, "more finding"))\n"
                break
            }
            text += line
        }
        var left: [String] = []
        for (title, table) in tables where !table.rows.isEmpty {
            let part = "\n<details><summary>\(title)</summary>\n\n\(table.text)\n</details>\n"
            // Room for the names of omitted tables.
            if text.utf8.count + part.utf8.count + end.utf8.count + 500 < Self.sizeMax {
                text += part
            } else {
                left.append(title)
            }
        }
        if !left.isEmpty { text += "\nOmitted for length: \(left.joined(separator: "; ")).\n" }
        return text + end
    }

    private var foot: String {
        let machine = report.machine
        return "\(report.date) · Daybook \(report.program) · \(machine.processor), "
            + "\(Figures.counted(machine.cores, "core")), \(machine.disk), \(machine.kernel)"
    }

    private struct Table {
        let header: [String]
        var rows: [[String]] = []

        var text: String {
            let rule = header.indices.map { $0 == 0 ? ":--" : "--:" }
            let lines = [header, rule] + rows
            return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
        }
    }

    private var tables: [(String, Table)] {
        [
            ("Budgets in a store of \(Figures.counted(report.taskCount, "task"))", budgets), ("Sizes", sizes),
            ("Time by size of the store", scale), ("Counts per run", counts),
            ("Comparison with the other program", comparisons),
        ]
    }

    private var budgets: Table {
        Table(
            header: ["", "requirements", "budget", "p50", "p99", "max", "times under", "times the floor"],
            rows: report.budgets.map { row in
                [
                    Self.escaped(row.operation), row.requirements.joined(separator: ", "), Figures.time(row.budget),
                    Figures.time(row.timings.median), Figures.time(row.timings.percentile99),
                    Figures.time(row.timings.longest),
                    row.holds ? Figures.times(row.timesUnder) : "**broken**",
                    row.floor.map { Figures.interval($0.ratio.median, $0.ratio.low, $0.ratio.high) } ?? "",
                ]
            })
    }

    private var sizes: Table {
        Table(
            header: ["", "requirements", "budget", "measured"],
            rows: report.sizes.map { row in
                let measured = Figures.bytes(row.bytes)
                return [
                    Self.escaped(row.title), row.requirements.joined(separator: ", "), Figures.bytes(row.budget),
                    row.holds ? measured : "**\(measured)**",
                ]
            })
    }

    private var scale: Table {
        let sizes = report.scaleSizes
        return Table(
            header: ["p50 by tasks"] + sizes.map(Figures.grouped) + ["growth", "exponent"],
            rows: report.scale.map { row in
                let times = sizes.map { size in
                    row.points.first { $0.tasks == size }.map { Figures.time($0.median) } ?? ""
                }
                let growth = Figures.ratio(row.growth) + "×"
                return [Self.escaped(row.operation)] + times + [
                    row.holds ? growth : "**\(growth)**", Figures.fixed(row.exponent, places: 2),
                ]
            })
    }

    private var counts: Table {
        let kinds = report.countedKinds
        return Table(
            header: [""] + kinds.map(\.label),
            rows: kinds.isEmpty
                ? [] : report.counts.map { row in [Self.escaped(row.operation)] + kinds.map(row.perRun) })
    }

    private var comparisons: Table {
        Table(
            header: ["", "ratio", "limit", "pairs", "outcome"],
            rows: report.comparisons.map { row in
                let outcome = row.outcome.rawValue
                return [
                    Self.escaped(row.operation), Figures.interval(row.ratio.median, row.ratio.low, row.ratio.high),
                    Figures.limit(row.limit), Figures.grouped(row.ratio.pairs),
                    row.outcome == .holds ? outcome : "**\(outcome)**",
                ]
            })
    }

    /// Returns text on one line with every special character of Markdown and HTML escaped.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in VisibleText.of(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // Otherwise these would mention a person or link to an issue.
            case "@": result += "&#64;"
            case "#": result += "&#35;"
            case "\\", "`", "*", "_", "[", "]", "|", "~", "$", "!":
                result += "\\"
                result.unicodeScalars.append(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
