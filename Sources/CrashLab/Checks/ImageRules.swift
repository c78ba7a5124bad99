/// What an image must show: where in the run the crash came, and what the run had promised by then.
struct ImageRules: Sendable {
    /// The numbers of each state by its digest.
    let states: [UInt64: [Int]]
    /// From the last transaction that was acknowledged to the last that was issued.
    let allowed: ClosedRange<Int>
    /// Whether the store must be there: it was opened, or made, before the crash.
    let mustExist: Bool
    /// How many operations can be undone in each state.
    let undoDepths: [Int]
    /// Who opens the image: as the workload did, without its sabotage but for that of checksums.
    let workload: LabWorkload

    /// Returns the number of the state that an image shows. Throws when it is none that it may show; `lines` says what
    /// is there instead.
    @discardableResult
    func check(_ digest: UInt64, lines: () -> String) throws(ImageViolation) -> Int {
        guard let numbers = states[digest], let last = numbers.last else { throw .noState(lines()) }
        guard let number = numbers.first(where: allowed.contains) else { throw .wrongState(last, allowed: allowed) }
        return number
    }
}
