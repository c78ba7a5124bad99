import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc
import LabSupport
import Simulation

/// The subcommand `simulate zones`.
struct SimulateZones: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "Check every zone on every day from 1970 to 2037 against the results of an independent program.")

    @Argument(
        help: ArgumentHelp("The folder with these results.", valueName: "folder"), completion: .directory)
    var folder: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if folder.isEmpty { throw ValidationError("The name of the folder is empty.") }
    }

    func run() throws {
        try options.simulate { scratch, _ in try check(scratch) }
    }

    private func check(_ scratch: String) throws -> ZoneTable {
        let truth: ZoneTruth
        do {
            truth = try ZoneTruth(folder: folder)
        } catch {
            throw CommandError.unusable("\(error)")
        }
        let clock = SystemClock()
        let start = clock.monotonic
        let progress = Progress()
        defer { progress.end() }
        let report = try ZoneCheck(against: truth).run(in: "\(scratch)/zones") { phase, done, total in
            // The check cannot throw, so an interruption ends the process here.
            if Interruption.isRequested {
                try? FileManager.default.removeItem(atPath: scratch)
                _exit(ProgramExit.interrupted.rawValue)
            }
            progress.show("\(phase.rawValue): \(done) of \(total)")
        }
        return ZoneTable(
            report: report, dataVersion: truth.version,
            seconds: Double(clock.monotonic.microseconds(since: start)) / 1e6)
    }
}

/// The results of the zone check, as text and as JSON.
struct ZoneTable: SimulationReport {
    let report: ZoneReport
    let dataVersion: String
    let seconds: Double

    var isGood: Bool { report.isClean }

    private var counts: [(name: String, key: String, count: Int)] {
        [
            ("zones, aliases included", "zones", report.zones),
            ("starts of days", "days", report.days),
            ("changes of offset", "transitions", report.transitions),
            ("days of instants", "instants", report.instants),
            ("hard cases", "hardCases", report.hardCases),
            ("hard cases of later zone data, skipped", "skippedHardCases", report.skippedHardCases),
            ("zones with distinct days", "distinctZones", report.distinctZones),
            ("completions in the store", "completions", report.completions),
            ("Today views", "views", report.views),
            ("counts of days, weeks, months", "counts", report.counts),
        ]
    }

    var text: String {
        let width = counts.map(\.name.columns).max() ?? 0
        var text = ""
        for (name, _, count) in counts { text += "\(name.padded(to: width))  \(count)\n" }
        text += "\n"
        for finding in report.findings { text += "WRONG: \(VisibleText.of(finding.description))\n" }
        let rest = report.findingCount - report.findings.count
        if rest > 0 { text += "and \(rest) more\n" }
        let result = report.isClean ? "no differences" : "\(report.findingCount) differences"
        return text + "zone data \(dataVersion), \(Figures.fixed(seconds, places: 1)) s: \(result)\n"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", report.isClean)
            writer.field("zoneData", dataVersion)
            writer.field("seconds", Int(seconds))
            for (_, key, count) in counts { writer.field(key, count) }
            writer.field("findingCount", report.findingCount)
            writer.field("findings", report.findings.map(\.description))
        }
    }
}
