import SystemErrors

/// Checks images, as many at a time as there are checkers.
final class CheckerPool {
    private struct Pending {
        let checker: CheckerProcess
        let key: ImageKey
        let image: ExploredImage
    }

    private var idle: [CheckerProcess] = []
    private var busy: [Pending] = []
    private let lines: AcknowledgedLines
    /// Whether each checker has a file system for itself. Without, there is one, in the folder itself.
    let hasNamespaces: Bool

    init(folder: String, command: String, jobs: Int, lines: AcknowledgedLines) throws(ProgramCrashError) {
        self.lines = lines
        var checkers: [CheckerProcess] = []
        var isPermitted = true
        do throws(SystemCondition) {
            for _ in 0..<max(jobs, 1) {
                checkers.append(try CheckerProcess(folder: folder, command: command, hasNamespace: true))
            }
        } catch {
            isPermitted = !checkers.isEmpty
        }
        if checkers.isEmpty {
            do throws(SystemCondition) {
                checkers.append(try CheckerProcess(folder: folder, command: command, hasNamespace: false))
            } catch {
                throw .system(operation: "start a checker", code: error.code)
            }
        }
        hasNamespaces = isPermitted
        idle = checkers
    }

    /// Checks one image and waits for the outcome. No other is being checked.
    func check(_ tree: FolderTree, acknowledged: Int) throws(ProgramCrashError) -> CheckOutcome {
        guard let checker = idle.first else { throw .unfitCheck("All checkers are busy.") }
        try checker.send(tree.imageBytes(), acknowledged: lines.first(acknowledged))
        return try checker.answer()
    }

    /// Checks images in the order of the recording; calls a closure with each outcome.
    ///
    /// - Parameters:
    ///   - lines: the standard input of the check; nil for the lines that the run had acknowledged at that time.
    ///   - shouldContinue: called before each image; when it returns false, the rest is left out.
    func check(
        _ images: [ImageKey: ExploredImage], of explorer: ImageExplorer, lines: [UInt8]? = nil,
        shouldContinue: () throws -> Bool = { true }, _ body: (ImageKey, ExploredImage, CheckOutcome) throws -> Void
    ) throws {
        var isCut = false
        do {
            try explorer.forEach(images) { key, image, tree in
                isCut = try isCut || !shouldContinue()
                if isCut { return }
                if idle.isEmpty { try collect(body) }
                let checker = idle.removeLast()
                busy.append(Pending(checker: checker, key: key, image: image))
                try checker.send(tree.imageBytes(), acknowledged: lines ?? self.lines.first(image.acknowledged))
            }
            while !busy.isEmpty { try collect(body) }
        } catch {
            // Their answers belong to nobody.
            for pending in busy where pending.checker.isBusy { _ = try? pending.checker.answer() }
            idle += busy.map(\.checker)
            busy = []
            throw error
        }
    }

    private func collect(_ body: (ImageKey, ExploredImage, CheckOutcome) throws -> Void) throws {
        let pending = busy.removeFirst()
        idle.append(pending.checker)
        let outcome = try pending.checker.answer()
        if case .untestable(let reason) = outcome {
            throw ProgramCrashError.unfitCheck(
                "The check says nothing about the image \(pending.image.recipe): \(reason). Exit with 0 if every promise is kept, "
                    + "and with 1 if one is broken.")
        }
        try body(pending.key, pending.image, outcome)
    }
}

/// The acknowledged lines of a test, in order.
struct AcknowledgedLines {
    /// Those from before the run.
    let old: [[UInt8]]
    let new: [[UInt8]]

    /// The lines for the check of an image: the old ones, and the first of the new ones.
    func first(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in old + new.prefix(count) {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The lines of a file.
    static func read(_ path: String) -> [[UInt8]] {
        guard let bytes = try? ReportFiles.bytes(of: path) else { return [] }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
