/// A part of the lab's work, in the order in which they are done.
public enum CrashPhase: String, CaseIterable, Sendable {
    /// Promises broken on purpose.
    case canaries
    /// Creation, migration, growth, rebuild, two processes.
    case lifecycle
    /// Exports and imports, and everything else that makes files beside a store.
    case archive
    /// What users meet besides: full maps, readers that die, folders of others.
    case situations
    /// Processes that die while others open, read and write the same store.
    case processes
    /// A disk that refuses calls.
    case faults
    /// Damaged pages.
    case bitRot = "bit-rot"
    /// Every short sequence of operations.
    case small
    /// Seeded sequences of hundreds, as long as there is time.
    case long

    /// The share of the budget by whose end the phase must be done.
    var shareOfBudget: Double {
        switch self {
        case .canaries, .lifecycle, .archive, .situations, .long: 1
        case .processes: 0.4
        case .faults: 0.58
        case .bitRot: 0.75
        case .small: 0.88
        }
    }
}
