/// What a workload asks of the store, one transaction each unless it says otherwise. What it is done to follows from the
/// state, so that a list of operations alone says everything.
enum LabOperation: String, CaseIterable, Sendable {
    case create
    case complete
    case reorder
    case schedule
    case delete
    case undo
    /// Two operations in one group commit.
    case pair
    /// An import of three tasks.
    case importing
    case redo
    case reopen
    /// A task with a note that needs overflow pages.
    case large
    /// Forty tasks in one transaction.
    case bulk

    /// Those whose every short sequence is tried.
    static let small: [LabOperation] = [
        .create, .complete, .reorder, .schedule, .delete, .undo, .pair, .importing,
    ]
}

/// An operation and the draw that picks what it is done to; 0 picks the first.
struct LabStep: Hashable, Sendable {
    var operation: LabOperation
    var draw = 0
    /// Whether a second process does it.
    var isElsewhere = false

    /// `complete`, `complete.7`, `complete.7@2`: what a recipe says.
    var text: String {
        operation.rawValue + (draw == 0 ? "" : ".\(draw)") + (isElsewhere ? "@2" : "")
    }

    init(_ operation: LabOperation, draw: Int = 0, isElsewhere: Bool = false) {
        self.operation = operation
        self.draw = draw
        self.isElsewhere = isElsewhere
    }

    init?(_ text: some StringProtocol) {
        var text = text[...]
        if text.hasSuffix("@2") {
            isElsewhere = true
            text = text.dropLast(2)
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let operation = LabOperation(rawValue: String(name)) else { return nil }
        self.operation = operation
        guard parts.count == 2 else { return }
        guard let draw = Int(parts[1]), draw >= 0 else { return nil }
        self.draw = draw
    }
}
