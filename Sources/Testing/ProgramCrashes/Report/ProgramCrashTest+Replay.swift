import FileSystem
import SystemErrors

extension ProgramCrashTest {
    /// Rebuilds an image of a report, and checks it or writes it to a folder.
    ///
    /// - Parameters:
    ///   - reproducer: the image, as a report prints it.
    ///   - target: a new or empty folder for the image; nil to check the image.
    package static func replay(
        report: String, reproducer: String, into target: String?, scratch: String
    ) throws -> ReplayedImage {
        let settings = try ReportSettings(reading: report)
        let (recipe, name, prefix) = try parse(reproducer)
        guard let recording = try ProgramRecording(folder: report, names: NameTable(), name: name) else {
            throw ProgramCrashError.invalidReport(folder: report)
        }
        let explorer = ImageExplorer(recording: recording, seed: 0)
        guard let (disk, acknowledged) = explorer.disk(at: recipe) else {
            throw ProgramCrashError.noSuchImage(reproducer)
        }
        let image = disk.image(recipe).imageBytes()
        var outcome: CheckOutcome?
        if let target {
            let (path, _) = try TestFolder.make(target, scratch: scratch)
            try CheckerProcess.fill(path, with: image)
        } else {
            outcome = try check(image, settings, lines(report, recording, name, acknowledged), scratch: scratch)
        }
        var (kind, text) = ("", "")
        if case .broken(let brokenKind, let brokenText) = outcome { (kind, text) = (brokenKind, brokenText) }
        if case .untestable(let reason) = outcome {
            throw ProgramCrashError.unfitCheck("The check says nothing about the image: \(reason).")
        }
        guard let example = ImageDescription.example(of: recipe, in: explorer, kind: kind, text: text, prefix: prefix)
        else { throw ProgramCrashError.noSuchImage(reproducer) }
        return ReplayedImage(example: example, isBroken: outcome?.isBroken)
    }

    /// A reproducer of a crash in a check begins with the name of its recording.
    private static func parse(_ text: String) throws(ProgramCrashError) -> (ImageRecipe, name: String, prefix: String) {
        var name = "recording"
        var rest = text[...]
        if text.hasPrefix("recovery-"), let colon = text.firstIndex(of: ":") {
            name = String(text[..<colon])
            rest = text[text.index(after: colon)...]
        }
        guard let recipe = ImageRecipe(String(rest)) else { throw .noSuchImage(text) }
        return (recipe, name, name == "recording" ? "" : "\(name):")
    }

    private static func lines(
        _ report: String, _ recording: ProgramRecording, _ name: String, _ acknowledged: Int
    ) throws -> [UInt8] {
        if name != "recording" { return Array(try ReportFiles.bytes(of: "\(report)/\(name).lines")) }
        let old = AcknowledgedLines.read("\(report)/before.acknowledged")
        return AcknowledgedLines(old: old, new: recording.acknowledgments).first(acknowledged)
    }

    private static func check(
        _ image: [UInt8], _ settings: ReportSettings, _ lines: [UInt8], scratch: String
    ) throws -> CheckOutcome {
        // At the path of the run, where the program may have stored it. If another folder is there now, it is only covered.
        let isNew = !FileTree.exists(settings.folder)
        let parent = FileTree.folder(of: settings.folder)
        let isNewParent = !FileTree.exists(parent)
        do throws(SystemCondition) {
            if isNewParent { try FileTree.makeFolder(parent) }
            if isNew { try FileTree.makeFolder(settings.folder) }
        } catch {
            throw ProgramCrashError.system(operation: "make the folder \(settings.folder)", code: error.code)
        }
        defer {
            if isNew { TestFolder.remove(settings.folder, isOwn: true) }
            if isNewParent { try? FileTree.removeFolder(parent) }
        }
        let checker: CheckerProcess
        do throws(SystemCondition) {
            checker = try CheckerProcess(folder: settings.folder, command: settings.check, hasNamespace: true)
        } catch {
            guard isNew else { throw ProgramCrashError.folderInUse(settings.folder) }
            do throws(SystemCondition) {
                checker = try CheckerProcess(folder: settings.folder, command: settings.check, hasNamespace: false)
            } catch {
                throw ProgramCrashError.system(operation: "start a checker", code: error.code)
            }
        }
        try checker.send(image, acknowledged: lines)
        return try checker.answer()
    }
}
