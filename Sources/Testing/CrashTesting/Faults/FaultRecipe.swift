/// A fault and the call that it strikes: one line of text replays exactly it.
struct FaultRecipe: Sendable {
    /// The fault is set for the last operation, or for opening when there is none.
    var workload: LabWorkload
    var fault: DiskFault

    /// `fault|small:create|write.fails.28.any.1|3`: the last number is the call that is struck first.
    var text: String { "fault|\(workload.text)|\(fault.text)|\(fault.first)" }

    init(workload: LabWorkload, fault: DiskFault) {
        self.workload = workload
        self.fault = fault
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "fault", let workload = LabWorkload(parts[1]),
            var fault = DiskFault(kindText: parts[2]), let first = Int(parts[3]), first > 0
        else { return nil }
        fault.first = first
        self.init(workload: workload, fault: fault)
    }
}
