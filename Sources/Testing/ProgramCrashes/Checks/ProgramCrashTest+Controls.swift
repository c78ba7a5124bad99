/// Controls of the check: one that accepts everything, or nothing, proves nothing.
extension ProgramCrashTest {
    /// The undamaged result must pass, and an empty folder must fail.
    func testCheck(_ recording: ProgramRecording, _ lines: AcknowledgedLines, _ pool: CheckerPool) throws {
        progress("test the check")
        let acknowledged = lines.new.count
        switch try pool.check(recording.after, acknowledged: acknowledged) {
        case .kept: break
        case .broken(let kind, let text):
            throw ProgramCrashError.unfitCheck(
                "The check refuses the undamaged result (\(kind): \(text)). Correct the check, or the work.")
        case .untestable(let reason): throw unfit("the undamaged result", reason)
        }
        switch try pool.check(FolderTree(names: names), acknowledged: acknowledged) {
        case .broken: break
        case .kept:
            throw ProgramCrashError.unfitCheck(
                "The check accepts an empty folder. Let it fail when an acknowledged line of its standard input is missing."
            )
        case .untestable(let reason): throw unfit("an empty folder", reason)
        }
    }

    private func unfit(_ image: String, _ reason: String) -> ProgramCrashError {
        .unfitCheck(
            "The check says nothing about \(image): \(reason). Exit with 0 if every promise is kept, and with 1 if one is broken."
        )
    }

    /// With all flushes ignored, the loss of everything unsynced must fail.
    func testLossWithoutFlushes(
        _ recording: ProgramRecording, _ lines: AcknowledgedLines, _ pool: CheckerPool
    ) throws {
        guard !lines.new.isEmpty else {
            report.warnings.append("The work acknowledged nothing, so that no loss of it can be found.")
            return
        }
        // Nothing of the run is on the disk.
        let outcome = try pool.check(recording.before, acknowledged: lines.new.count)
        if case .untestable(let reason) = outcome { throw unfit("the content before the run", reason) }
        report.findsLossWithoutFlushes = outcome.isBroken
        if !outcome.isBroken {
            report.warnings.append(
                "The check accepts the loss of everything that the work acknowledged: it proves nothing about acknowledged work."
            )
        }
    }
}
