import Daybook
import Measuring

extension RequirementRun {
    /// What a scrub costs: the CPU time for the bytes that it reads in a second at its default rate, over a whole pass.
    func scrub(of daybook: DaybookStore) throws -> [MeasuredRow] {
        var bytes = 0
        let start = ProcessUse.cpuTime
        while true {
            let report = try daybook.scrub(bytes: 4 << 20)
            bytes += report.bytes
            if report.isAtEnd { break }
        }
        let time = ProcessUse.cpuTime - start
        let seconds = Double(bytes) / Double(RecordStore.scrubRate)
        return [
            MeasuredRow(
                "scrub", "share of a core of a scrub of \(taskCount) tasks at its default rate",
                .ratio(Double(time) / 1e9 / seconds), limit: .ratio(0.01))
        ]
    }
}
