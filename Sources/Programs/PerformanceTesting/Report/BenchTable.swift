import CommandSupport
import LabSupport
import Measuring

/// A report as text for a terminal.
struct BenchTable {
    let report: BenchReport
    var terminal = Terminal.standardOutput

    var text: String {
        let verdict = BenchVerdict(report)
        let findings = findings(verdict)
        return
            ([heading] + report.tables.map { $0.table.text(for: terminal) } + (findings.isEmpty ? [] : [findings])
            + [closing(verdict)]).joined(separator: "\n")
    }

    private var heading: String {
        let machine = report.machine
        let cores = Figures.counted(machine.cores, "core")
        return VisibleText.of("\(machine.processor), \(cores), \(Figures.bytes(machine.memory))") + "\n"
            + VisibleText.of("\(machine.kernel), \(machine.disk)") + "\n"
            + VisibleText.of(
                "Daybook \(report.program)\(report.size > 0 ? ", \(Figures.counted(report.size, report.unit))" : "")")
            + "\n"
    }

    private func findings(_ verdict: BenchVerdict) -> String {
        verdict.findings.map { finding in
            let mark = finding.verdict == .worse ? "WORSE" : "UNSURE"
            let style: Terminal.Style = finding.verdict == .worse ? .bad : .active
            return terminal.styled(mark, style) + "  \(VisibleText.of(finding.message))\n"
        }.joined()
    }

    private func closing(_ verdict: BenchVerdict) -> String {
        let style: Terminal.Style =
            switch verdict.outcome {
            case .holds: .bold
            case .worse: .bad
            case .inconclusive: .active
            }
        return terminal.styled(verdict.line, style) + "\n"
    }
}
