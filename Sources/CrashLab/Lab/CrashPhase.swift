/// A part of the lab's work.
public enum CrashPhase: String, CaseIterable, Sendable {
    /// Promises broken on purpose.
    case canaries
    /// Creation, migration, growth, rebuild, two processes.
    case lifecycle
    /// Every short sequence of operations.
    case small
    /// Seeded sequences of hundreds.
    case long
    /// A disk that refuses calls.
    case faults
    /// What users meet besides: full maps, readers that die, folders of others.
    case situations
    /// Damaged pages.
    case bitRot = "bit-rot"

    /// The share of the budget by whose end the phase must be done.
    var shareOfBudget: Double {
        switch self {
        case .canaries, .lifecycle: 1
        case .small: 0.45
        case .long: 0.6
        case .faults: 0.85
        case .situations: 1
        case .bitRot: 0.97
        }
    }
}
