import CommandSupport
import LabSupport
import Measuring

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
        var text = "### \(mark) \(Self.escaped(report.name)): \(Self.escaped(verdict.line))\n\n"
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
        for (title, table) in report.tables {
            let part = "\n<details><summary>\(title)</summary>\n\n\(table.markdown)\n</details>\n"
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
