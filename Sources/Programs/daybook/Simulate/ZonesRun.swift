import Daybook
import FoundationEssentials
import Glibc
import Simulation

/// The check of every zone on every day against an independent truth.
struct ZonesRun {
    /// Where the truth lies.
    let truth: String
    let scratch: String

    func run() throws -> ZoneTable {
        let truth: ZoneTruth
        do {
            truth = try ZoneTruth(folder: self.truth)
        } catch {
            throw CommandError.unusable("\(error)")
        }
        let clock = SystemClock()
        let start = clock.monotonic
        let progress = Progress()
        defer { progress.end() }
        let scratch = scratch
        let report = try ZoneCheck(against: truth).run(in: "\(scratch)/zones") { phase, done, total in
            // Nobody else looks during the minute that this takes.
            if Interruption.wasAsked {
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
