import Daybook
import FoundationEssentials

extension Verbs {
    /// What is done to lists.
    static let lists: [String: Verb] = [
        "createList": Verb { act, board in
            let list = try await board.session.tasks.createList(try act.require(act.name), color: act.color)
            return list.id.uuidString.lowercased()
        },
        "renameList": .on { act, board in
            try await board.session.tasks.renameList(try act.listID(), to: try act.require(act.name))
        },
        "colorList": .on { act, board in
            try await board.session.tasks.colorList(try act.listID(), try act.require(act.color))
        },
        "moveList": .on { act, board in
            try await board.session.tasks.reorderList(try act.listID(), to: act.place?.place ?? .last)
        },
        "deletionQuestion": Verb(isReading: true) { act, board in
            try board.session.tasks.deletionQuestion(ofList: try act.listID(), in: board.texts)
        },
        "deleteList": .on { act, board in _ = try await board.session.tasks.deleteList(try act.listID()) },
    ]
}

extension VerbArguments {
    fileprivate func listID() throws -> UUID { try uuid(require(list)) }
}
