import Injection
import KeyValue

/// What a canary showed: a promise broken on purpose, and whether the lab saw it.
public struct CanaryResult: Sendable, Equatable {
    /// Which promise was broken.
    public let name: String
    /// How many images or damaged stores were opened until it was found; nil when it was not.
    public let trialsUntilFound: Int?
    /// What was found.
    public let finding: String
}

/// The workloads in which each broken promise has to show.
enum CanaryWorkloads {
    static func workload(for sabotage: InjectionPoint) -> LabWorkload {
        var workload =
            sabotage == .skipsParentFlush
            ? LabWorkload(base: .nothing, steps: [LabStep(.create)])
            : LabWorkload(steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])
        workload.sabotage = sabotage
        return workload
    }
}
