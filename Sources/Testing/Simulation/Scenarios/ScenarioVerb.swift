/// The verbs of a step, and what stands beside each.
enum ScenarioVerb: String, CaseIterable {
    case create, start, complete, reopen, cycle, schedule, reorder, carry, edit, remind, delete, purge
    case together, undo, redo
    case undoNotice = "undo notice"
    case advance
    case advanceTo = "advance to"
    case jump
    case jumpTo = "jump to"
    case travel, sleep, wake, close, open, crash, fault, elsewhere, expect

    /// What may stand beside it, apart from `refused`.
    var companions: [String] {
        switch self {
        case .create: ["on", "in"]
        case .schedule: ["on"] + Self.places
        case .reorder: Self.places
        case .carry: ["to"]
        case .edit: ["text"]
        case .remind: ["at"]
        case .jump: ["monotonic"]
        case .crash: ["during", "choice"]
        case .fault: ["writes"]
        default: []
        }
    }

    /// The keys that name a place.
    static let places = ["first", "last", "before", "after", "index"]

    /// Everything that may stand beside some verb.
    static let allCompanions: Set<String> = Set(allCases.flatMap(\.companions) + ["refused"])

    /// The steps that it may be part of.
    var owners: [ScenarioVerb] {
        switch self {
        case .create, .start, .complete, .reopen, .cycle, .schedule, .reorder, .carry, .edit, .remind, .delete, .purge:
            [.together, .crash, .elsewhere]
        case .together, .undo, .redo, .undoNotice: [.crash, .elsewhere]
        default: []
        }
    }
}
