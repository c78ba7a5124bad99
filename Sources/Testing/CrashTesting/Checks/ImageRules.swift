/// What an image must show: where in the run the crash came, and what the run had promised by then.
struct ImageRules: Sendable {
    /// The numbers of each state by its digest.
    let states: [UInt64: [Int]]
    /// From the last transaction that was acknowledged to the last that was issued.
    var allowed: ClosedRange<Int>
    /// Whether the store must be there: it was opened, or made, before the crash.
    let mustExist: Bool
    /// How many operations can be undone in each state.
    let undoDepths: [Int]
    /// What an import leads to that is run again; nil where none was begun.
    var content: UInt64?
    /// Who opens the image: as the workload did, without its sabotage but for that of checksums.
    let workload: LabWorkload

    /// Returns the number of the state that an image shows. Throws when it is none that it may show; `lines` are those of
    /// the store, nil when they cannot be read.
    @discardableResult
    func check(_ digest: UInt64, lines: () -> [String]?) throws(ImageViolation) -> Int {
        guard let numbers = states[digest], let last = numbers.last else {
            throw .noState(lines().map(difference) ?? "the views cannot be read")
        }
        guard let number = numbers.first(where: allowed.contains) else { throw .wrongState(last, allowed: allowed) }
        return number
    }

    /// What lines differ in from the nearer one of the states that may be there.
    private func difference(from lines: [String]) -> String {
        let differences = Set([allowed.lowerBound, allowed.upperBound]).sorted().map { number in
            (number, Difference.between(workload.model(after: number).state.lines, lines))
        }
        guard let nearest = differences.min(by: { $0.1.count < $1.1.count }) else { return "" }
        return "against state \(nearest.0): \(nearest.1)"
    }
}
