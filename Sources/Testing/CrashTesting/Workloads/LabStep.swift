import CivilTime
import DomainPacks

/// What a workload asks of the store, one transaction each unless stated otherwise: an operation of the workload's domain
/// by its name, or one that every domain has. The target follows from the state, so that a list of operations is
/// sufficient.
struct LabOperation: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    static let undo = Self(rawValue: PackAction.undoName)
    static let redo = Self(rawValue: PackAction.redoName)
    /// Two operations in one group commit.
    static let pair = Self(rawValue: PackAction.pairName)
    /// Rewrites the store's file.
    static let compact = Self(rawValue: PackAction.compactName)

    /// All operations of a domain.
    static func all(of pack: any DomainPack.Type) -> [LabOperation] {
        pack.operationNames.map(Self.init) + [.undo, .pair, .redo, .compact]
    }

    /// Those whose short sequences are all tried.
    static func short(of pack: any DomainPack.Type, includesUndo: Bool = true) -> [LabOperation] {
        pack.shortNames.map(Self.init) + (includesUndo ? [.undo, .pair] : [])
    }
}

/// An operation and the random number that picks its target; 0 picks the first.
struct LabStep: Hashable, Sendable {
    var operation: LabOperation
    var draw = 0
    /// Whether a second process performs it.
    var runsInPeer = false
    /// Whether that is the last one of several, which is never killed.
    var isLastPeer = false
    /// The write or flush, counted from 1, before which that process is killed; nil if it is not. The next step in a second process
    /// begins another one, which opens the store.
    var killedAt: Int?

    /// For example `complete`, `complete.7`, `complete.7@2`, `complete@last`, `complete@2x5`, as in a reproducer.
    var text: String {
        operation.rawValue + (draw == 0 ? "" : ".\(draw)") + (runsInPeer ? isLastPeer ? "@last" : "@2" : "")
            + (killedAt.map { "x\($0)" } ?? "")
    }

    init(_ operation: LabOperation, draw: Int = 0, runsInPeer: Bool = false) {
        self.operation = operation
        self.draw = draw
        self.runsInPeer = runsInPeer
    }

    /// A step of the process that outlives the ones that are killed.
    init(_ operation: LabOperation, inLastPeer: Bool) {
        self.init(operation, runsInPeer: inLastPeer)
        isLastPeer = inLastPeer
    }

    /// A step of a second process that is killed before one of its writes and flushes.
    init(_ operation: LabOperation, draw: Int = 0, killedAt call: Int) {
        self.init(operation, draw: draw, runsInPeer: true)
        killedAt = call
    }

    init?(_ text: some StringProtocol, of pack: any DomainPack.Type) {
        var text = String(text)
        if let mark = text.range(of: "@2x") {
            guard let call = Int(text[mark.upperBound...]), call > 0 else { return nil }
            killedAt = call
            text = text[..<mark.lowerBound] + "@2"
        }
        isLastPeer = text.hasSuffix("@last")
        if text.hasSuffix("@2") || isLastPeer {
            runsInPeer = true
            text = String(text.prefix { $0 != "@" })
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first else { return nil }
        operation = LabOperation(rawValue: String(name))
        guard LabOperation.all(of: pack).contains(operation) else { return nil }
        guard parts.count == 2 else { return }
        guard let draw = Int(parts[1]), draw >= 0 else { return nil }
        self.draw = draw
    }

    /// Returns the steps of a text such as `create,complete.7`; nil if one of them is none.
    static func steps(_ text: some StringProtocol, of pack: any DomainPack.Type) -> [LabStep]? {
        var steps: [LabStep] = []
        for word in text.split(separator: ",") {
            guard let step = LabStep(word, of: pack) else { return nil }
            steps.append(step)
        }
        return steps
    }
}

/// The expected content of a store after some steps. Every image is judged by it.
struct LabModel: Sendable {
    private(set) var history: PackHistory

    init(of pack: any DomainPack.Type = TaskPack.self) {
        history = PackHistory(of: pack)
    }

    /// Begins with a content that cannot be undone.
    init(_ content: any DomainPack) {
        history = PackHistory(content)
    }

    /// What a store shows on the day of every workload. Nothing that a domain shows changes within that day.
    var lines: [String] { history.lines(at: LabStore.moment) }
    /// The number of operations that can be undone.
    var undoDepth: Int { history.undoDepth }

    /// Returns the action of a step in this state; nil if it has no target.
    ///
    /// - Parameter index: determines the moment.
    func action(for step: LabStep, at index: Int = 0) -> PackAction? {
        history.action(
            step.operation.rawValue,
            DomainDraw(step.draw, at: DomainMoment(LabStore.instant(ofStep: index), in: .utc)))
    }

    mutating func apply(_ action: PackAction) {
        history.apply(action)
    }

    /// Applies steps that need no store.
    mutating func apply(_ steps: [LabStep], at index: Int = 0) {
        for step in steps {
            if let action = action(for: step, at: index) { apply(action) }
        }
    }
}
