extension SelfTestReport {
    /// The report for people, line by line.
    public var lines: [String] {
        let width = rows.map(\.operation.count).max() ?? 0
        var lines = [
            "\(Self.padded("operation", to: width))  false alarms  inconclusive  found in every trial"
        ]
        for row in rows {
            let found = row.smallestFound.map { "from \($0) %" } ?? "none"
            let missed = row.slowdowns.last { !$0.isFound }.map { ", missed \($0.percent) % in trial \($0.trials)" }
            lines.append(
                Self.padded(row.operation, to: width) + "  " + Self.padded("\(row.falseAlarms) of \(row.runs)", to: 12)
                    + "  " + Self.padded("\(row.inconclusive) of \(row.runs)", to: 12) + "  " + found + (missed ?? ""))
        }
        return lines + [""] + conclusions
    }

    /// What follows, in sentences.
    private var conclusions: [String] {
        let inconclusive = rows.reduce(0) { $0 + $1.inconclusive }
        let all = rows.reduce(0) { $0 + $1.runs }
        var lines = [
            """
            False alarms: \(runsWithFalseAlarm) of \(runs) runs (\((falseAlarmRate * 100).toHundredths) %; fewer than 1 % are \
            allowed). Inconclusive: \(inconclusive) of \(all) comparisons.
            """
        ]
        if missed.isEmpty {
            let worst = rows.compactMap(\.smallestFound).max() ?? 0
            lines.append("A slowdown of \(worst) % was found in every trial of every operation.")
        } else {
            lines.append("A slowdown of \(Self.promisedSlowdown) % was missed in: \(missed.joined(separator: ", ")).")
        }
        if let extraWork {
            for extra in SelfTest.ExtraWork.allCases {
                let rows = extraWork.filter { $0.extra == extra }
                lines.append(
                    "One \(extra.rawValue) too many: found in \(rows.count(where: \.isFound)) of \(rows.count) operations."
                )
            }
        }
        lines.append(
            isGood
                ? "Its comparisons and counts did what they promise here."
                : "Its comparisons and counts cannot be trusted here. Use a quieter machine.")
        return lines
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
