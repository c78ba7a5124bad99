import CommandSupport
import Daybook
import ProgramCrashes

/// The report of a crash test of a program, as text and as JSON.
struct ProgramCrashTable {
    let report: ProgramCrashReport
    let folder: String
    /// So many lost changes of an example are listed.
    private static let lostShown = 6

    // MARK: Text

    var text: String {
        let kinds = report.callsByKind.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
            separator: ", ")
        let count = report.callsByKind.values.reduce(0, +)
        var text = "\nrecorded \(count) calls (\(kinds)), \(report.flushes) flushes, "
        text += "\(report.acknowledged) acknowledged lines, in \(report.recordedMicroseconds / 1000) ms\n"
        let width = report.disks.map(\.model.rawValue.count).max() ?? 0
        for disk in report.disks {
            let cut = disk.isCut ? " (cut: a limit was reached)" : ""
            text += "  \(disk.model.rawValue.padded(to: width))  \(disk.images) images at \(disk.points) points, "
            text += "\(disk.distinct) distinct\(cut): \(Self.counts(disk.broken))\n"
        }
        if let recoveries = report.recoveries {
            text += "  \(recoveries.recorded) checks were crashed at their \(recoveries.calls) calls, "
            text += "\(recoveries.images) images: \(Self.counts(recoveries.broken))\n"
        }
        if let flushes = report.needlessFlushes {
            text += flushes.isEmpty ? "  every flush is needed\n" : "  not shown to be needed:\n"
            for flush in flushes { text += "    \(VisibleText.of(flush))\n" }
        }
        for note in report.notes { text += "note: \(VisibleText.of(note))\n" }
        for warning in report.warnings { text += "warning: \(VisibleText.of(warning))\n" }
        for example in report.examples { text += "\n" + self.text(of: example) }
        return text + "\n\(controls)\n\(speed)\n"
    }

    private static func counts(_ broken: [String: Int]) -> String {
        broken.isEmpty
            ? "0 broken"
            : broken.sorted { $0.key < $1.key }.map { "\($0.value) \(VisibleText.of($0.key))" }.joined(separator: ", ")
    }

    private func text(of example: ProgramCrashReport.Example) -> String {
        let broken = example.brokenOn.map(\.rawValue).joined(separator: ", ")
        let kept = example.keptOn.map(\.rawValue).joined(separator: ", ")
        let allowed = example.isAllowed ? " (allowed)" : ""
        let places = (broken.isEmpty ? "" : "    on \(broken)") + (kept.isEmpty ? "" : "; not on \(kept)")
        var text = VisibleText.of("\(example.kind): \(example.text)\(allowed)\(places)") + "\n"
        text +=
            VisibleText.of("  The power fails after  \(example.after)  (\(example.acknowledged) acknowledged)") + "\n"
        let lost = example.lost.prefix(Self.lostShown) + (example.lost.count > Self.lostShown ? ["…"] : [])
        for (index, words) in lost.enumerated() {
            text +=
                VisibleText.of("  \(index == 0 ? "Not on the disk      " : "                     ")  \(words)") + "\n"
        }
        if lost.isEmpty { text += "  Not on the disk        nothing: the system had everything\n" }
        if !example.detail.isEmpty { text += VisibleText.of("  On the disk            \(example.detail)") + "\n" }
        return text
            + VisibleText.of(
                "  Replay                 daybook crashtest --program --replay \(folder) --image '\(example.reproducer)'"
            ) + "\n"
    }

    private var controls: String {
        let loss =
            switch report.findsLossWithoutFlushes {
            case true: "the loss of everything is found"
            case false: "THE LOSS OF EVERYTHING IS NOT FOUND"
            default: "nothing was acknowledged"
            }
        return "controls: the undamaged result passes, an empty folder fails, \(loss)"
    }

    private var speed: String {
        func rate(_ count: Int, _ seconds: Double) -> String { seconds > 0 ? "\(Int(Double(count) / seconds))/s" : "-" }
        return
            "\(report.images) images built (\(rate(report.images, report.exploreSeconds))), \(report.checked) checked "
            + "(\(rate(report.checked, report.checkSeconds))), \(Int(report.seconds.rounded(.up))) s; the report is in \(folder)"
    }

    /// The last line: the verdict with its reason.
    var verdict: String {
        let broken = report.examples.filter { !$0.isAllowed }
        if let first = broken.first {
            let number = broken.count == 1 ? "1 kind" : "\(broken.count) kinds"
            return "BROKEN: \(number) of broken promises; the first: \(VisibleText.of("\(first.kind): \(first.text)"))"
        }
        let allowed = report.examples.isEmpty ? "" : ", except for what was allowed"
        if report.isCut {
            return "OK: no promise is broken\(allowed); but a limit was reached before all images were checked"
        }
        return "OK: no promise is broken\(allowed)"
    }

    // MARK: JSON

    func write(to writer: inout JSONWriter, commit: String, options: String) {
        writer.object { writer in
            writer.field("ok", report.isKept)
            writer.field("verdict", verdict)
            writer.field("options", options)
            writer.field("seed", Int(clamping: report.seed))
            writer.field("commit", commit)
            writer.field("report", folder)
            writer.field("seconds", Int(report.seconds.rounded(.up)))
            writer.field("recordedMicroseconds", report.recordedMicroseconds)
            writer.object("calls") { writer in
                for (kind, count) in report.callsByKind.sorted(by: { $0.key < $1.key }) { writer.field(kind, count) }
            }
            writer.field("flushes", report.flushes)
            writer.field("acknowledged", report.acknowledged)
            writer.field("points", report.points)
            writer.field("images", report.images)
            writer.field("checked", report.checked)
            writer.field("cut", report.isCut)
            writer.array("disks") { writer in
                for disk in report.disks {
                    writer.object { writer in
                        writer.field("disk", disk.model.rawValue)
                        writer.field("points", disk.points)
                        writer.field("images", disk.images)
                        writer.field("distinct", disk.distinct)
                        writer.field("cut", disk.isCut)
                        Self.write(disk.broken, to: &writer)
                    }
                }
            }
            if let recoveries = report.recoveries {
                writer.object("recoveries") { writer in
                    writer.field("recorded", recoveries.recorded)
                    writer.field("calls", recoveries.calls)
                    writer.field("images", recoveries.images)
                    Self.write(recoveries.broken, to: &writer)
                }
            }
            if let flushes = report.needlessFlushes { writer.field("needlessFlushes", flushes) }
            writer.array("examples") { writer in
                for example in report.examples { Self.write(example, to: &writer) }
            }
            writer.field("notes", report.notes)
            writer.field("warnings", report.warnings)
            writer.object("controls") { writer in
                writer.field("undamagedPasses", true)
                writer.field("emptyFails", true)
                if let finds = report.findsLossWithoutFlushes { writer.field("lossWithoutFlushesFails", finds) }
            }
            writer.field("namespaces", report.hasNamespaces)
        }
    }

    private static func write(_ broken: [String: Int], to writer: inout JSONWriter) {
        writer.object("broken") { writer in
            for (kind, count) in broken.sorted(by: { $0.key < $1.key }) { writer.field(kind, count) }
        }
    }

    private static func write(_ example: ProgramCrashReport.Example, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("kind", example.kind)
            writer.field("text", example.text)
            writer.field("allowed", example.isAllowed)
            writer.field("on", example.brokenOn.map(\.rawValue))
            writer.field("notOn", example.keptOn.map(\.rawValue))
            writer.field("after", example.after)
            writer.field("acknowledged", example.acknowledged)
            writer.field("lost", example.lost)
            writer.field("detail", example.detail)
            writer.field("calls", example.calls)
            writer.field("image", example.reproducer)
        }
    }
}
