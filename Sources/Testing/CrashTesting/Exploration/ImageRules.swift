/// What a crash image must show, given the crash point and the promises made by then.
struct ImageRules: Sendable {
    /// The numbers of each state by its digest.
    let states: [UInt64: [Int]]
    /// From the last acknowledged transaction to the last issued one.
    var allowed: ClosedRange<Int>
    /// Whether the store must exist: it was opened or created before the crash.
    let mustExist: Bool
    /// The number of operations that can be undone in each state.
    let undoDepths: [Int]
    /// The digest that repeating the import leads to; nil if none had begun.
    var content: UInt64?
    /// How the image is opened: like the workload, without its injected fault unless that is one of reading.
    let workload: LabWorkload

    /// Returns the number of the state that an image shows.
    ///
    /// - Parameter lines: the content of the store for the error; nil if it cannot be read.
    /// - Throws: a violation if the state is not allowed.
    @discardableResult
    func check(_ digest: UInt64, lines: () -> [String]?) throws(ImageViolation) -> Int {
        guard let numbers = states[digest], let last = numbers.last else {
            throw .noState(lines().map(difference) ?? "the views cannot be read")
        }
        guard let number = numbers.first(where: allowed.contains) else { throw .wrongState(last, allowed: allowed) }
        return number
    }

    /// Returns the difference to the nearest allowed state.
    private func difference(from lines: [String]) -> String {
        let differences = Set([allowed.lowerBound, allowed.upperBound]).sorted().map { number in
            (number, Difference.between(workload.model(after: number)?.lines ?? [], lines))
        }
        guard let nearest = differences.min(by: { $0.1.count < $1.1.count }) else { return "" }
        return "against state \(nearest.0): \(nearest.1)"
    }
}

extension RunProgress {
    /// Returns what an image at this point must show.
    func rules(of recording: Recording, _ workload: LabWorkload) -> ImageRules {
        // Before that, the records that the import updates do not exist.
        let isImporting = acknowledged >= workload.steps.count
        return ImageRules(
            states: recording.states, allowed: allowed,
            mustExist: isOpen || recording.start.files[Recording.dataPath] != nil,
            undoDepths: recording.undoDepths, content: isImporting ? recording.content : nil,
            workload: workload)
    }
}

/// The lines in which two states differ, for a report.
enum Difference {
    static func between(_ expected: [String], _ found: [String]) -> String {
        let missing = expected.filter { !found.contains($0) }.map { "- \($0)" }
        let added = found.filter { !expected.contains($0) }.map { "+ \($0)" }
        let lines = missing + added
        if lines.isEmpty { return expected == found ? "equal tasks, different bytes" : "equal lines in another order" }
        return lines.prefix(12).joined(separator: "; ")
    }
}
