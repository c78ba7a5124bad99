/// A fault and the call that it strikes: one line of text replays exactly it.
struct FaultRecipe: Sendable {
    /// The fault is set for the last operation, or for opening when there is none.
    var workload: LabWorkload
    var fault: DiskFault
    /// The first call that is refused, counted from 1 among those that the fault fits.
    var first: Int

    /// `fault|small:create|write-fails.28.any.x1|3`
    var text: String { "fault|\(workload.text)|\(fault.text)|\(first)" }

    init(workload: LabWorkload, fault: DiskFault, first: Int) {
        self.workload = workload
        self.fault = fault
        self.first = first
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "fault", let workload = LabWorkload(parts[1]),
            let fault = DiskFault(parts[2]), let first = Int(parts[3])
        else { return nil }
        self.init(workload: workload, fault: fault, first: first)
    }
}
