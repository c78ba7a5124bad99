import CivilTime
import Records

/// A model of any domain with what undo and redo lead to: the expected content of a store, step by step.
package struct PackHistory: Sendable {
    package private(set) var content: any DomainPack
    private var undoable: [any DomainPack] = []
    private var redoable: [any DomainPack] = []

    /// Creates the history of an empty store.
    package init(of pack: any DomainPack.Type) {
        content = pack.init()
    }

    /// Creates the history of a store of which nothing can be undone.
    package init(_ content: any DomainPack) {
        self.content = content
    }

    package func lines(at moment: DomainMoment) -> [String] { content.lines(at: moment) }
    /// The number of operations that can be undone.
    package var undoDepth: Int { undoable.count }
    package var redoDepth: Int { redoable.count }

    /// Returns what an operation does in this state; nil if it has nothing to do it with, or is unknown.
    package func action(_ name: String, _ draw: DomainDraw) -> PackAction? {
        switch name {
        case PackAction.undoName: return undoable.isEmpty ? nil : .undo
        case PackAction.redoName: return redoable.isEmpty ? nil : .redo
        case PackAction.compactName: return .compact
        case PackAction.pairName:
            // Two operations in one commit: the first one that is possible, and the first other one.
            var changes: [PackChange] = []
            for name in type(of: content).shortNames where changes.count < 2 {
                let before = changes.last?.content ?? content
                if let change = before.change(name, draw), change.isTransaction { changes.append(change) }
            }
            return changes.count == 2 ? .changes(changes) : nil
        default: return content.change(name, draw).map { .changes([$0]) }
        }
    }

    package mutating func apply(_ action: PackAction) {
        switch action {
        case .undo:
            guard let before = undoable.popLast() else { return }
            redoable.append(content)
            content = content.restoredContent(before)
        case .redo:
            guard let after = redoable.popLast() else { return }
            undoable.append(content)
            content = content.restoredContent(after)
        case .compact: break
        case .changes(let changes):
            for change in changes {
                // A change of untracked records alone is not in the change log.
                if change.content.isTrackedChange(from: content) {
                    undoable.append(content)
                    redoable = []
                }
                content = change.content
            }
        }
    }
}

/// What a step does, in the model and in a store.
package enum PackAction: Sendable {
    /// The operations of one commit.
    case changes([PackChange])
    case undo
    case redo
    /// Rewrites the store's file; changes nothing in it.
    case compact

    package static let undoName = "undo"
    package static let redoName = "redo"
    package static let pairName = "pair"
    package static let compactName = "compact"
}

/// A change of a pack, without its type.
package struct PackChange: Sendable {
    package let label: ChangeLabel
    /// The model after it.
    package let content: any DomainPack
    package let work: DomainWork

    /// Whether it can be part of a commit of several.
    var isTransaction: Bool {
        if case .transaction = work { true } else { false }
    }
}

/// A domain whose undo and redo a program refuses where they would break a rule of the domain.
package protocol RefusingRestoration: DomainPack {
    /// The code of the refusal; nil if another content can be restored.
    func refusal(restoring other: Self) -> String?
}

extension RefusingRestoration {
    fileprivate func refusal(restoring other: any DomainPack) -> String? {
        (other as? Self).flatMap { refusal(restoring: $0) }
    }
}

extension DomainPack {
    /// The code with which a program refuses to undo or redo to another content; nil if it does so.
    package func restorationRefusal(_ other: any DomainPack) -> String? {
        (self as? any RefusingRestoration)?.refusal(restoring: other)
    }

    /// The names of operations of which every short sequence is tried.
    package static var shortNames: [String] { operations.filter(\.isShort).map(\.name) }

    package static var operationNames: [String] { operations.map(\.name) }

    /// The names of all operations, each as often as its weight says.
    package static var weightedNames: [String] {
        operations.flatMap { Array(repeating: $0.name, count: $0.weight) }
    }

    package func change(_ name: String, _ draw: DomainDraw) -> PackChange? {
        var draw = draw
        guard let operation = Self.operations.first(where: { $0.name == name }),
            let change = operation.change(self, &draw)
        else { return nil }
        return PackChange(change, named: name, from: self)
    }

    /// The content after an undo or redo that leads to another one.
    package func restoredContent(_ other: any DomainPack) -> any DomainPack {
        (other as? Self).map { restored(to: $0) } ?? other
    }

    func isTrackedChange(from before: any DomainPack) -> Bool {
        (before as? Self).map { restored(to: $0) != self } ?? true
    }
}

extension PackChange {
    /// A change of a model that is known.
    package init<Pack: DomainPack>(_ change: DomainChange<Pack>, named name: String, from before: Pack) {
        var after = before
        change.model(&after)
        self.init(label: ChangeLabel(operation: name), content: after, work: change.work)
    }
}
