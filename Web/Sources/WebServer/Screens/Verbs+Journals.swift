import Daybook
import DaybookModels
import FoundationEssentials

extension Verbs {
    /// What is done to journals, and to their lock.
    static let journals: [String: Verb] = [
        "createThread": Verb { act, board in
            try await board.session.journals.createThread(try act.require(act.name)).id.uuidString.lowercased()
        },
        "renameThread": .on { act, board in
            try await board.session.journals.renameThread(try act.threadID(), to: try act.require(act.name))
        },
        "threadQuestion": Verb(isReading: true) { act, board in
            let thread = try board.session.journals.thread(try act.threadID())
            return try board.session.journals.deletionQuestion(of: try act.require(thread))
        },
        "deleteThread": .on { act, board in try await board.session.journals.deleteThread(try act.threadID()) },
        "draft": .on { act, board in
            let draft = try board.draft(of: act.threadID())
            draft.text = try act.require(act.text)
        },
        "send": .on { act, board in
            let draft = try board.draft(of: act.threadID())
            if let text = act.text { draft.text = text }
            await draft.send()
            if case .failed(let failure) = draft.saving { throw failure }
        },
        "editEntry": .on { act, board in
            try await board.session.journals.editEntry(try uuid(act.require(act.entry)), try act.require(act.text))
        },
        "setField": .on { act, board in
            let (entry, field) = (try uuid(act.require(act.entry)), try uuid(act.require(act.field)))
            let value = act.value ?? ""
            try await board.session.journals.write { journals in
                let content = try journals.entry(entry).content
                try journals.editEntry(entry, content, values: [field: value])
            }
        },
        "deleteEntry": .on { act, board in
            try await board.session.journals.deleteEntry(try uuid(act.require(act.entry)))
        },
        "createField": .on { act, board in
            try await board.session.journals.createField(try act.require(act.name), in: try act.threadID())
        },
        "lock": Verb(isReading: true) { _, board in
            // What was typed is saved first, also while the page that typed it is hidden.
            await board.saveDrafts()
            board.store.journals.lock.suspend()
            return nil
        },
        // Shows a code in the terminal.
        "unlockCode": Verb(isReading: true) { _, board in
            board.unlocking.begin()
            return nil
        },
        "unlock": Verb(isReading: true) { act, board in
            guard board.store.journals.lock.unlock(board.unlocking.result(of: act.code ?? "")) else {
                throw Problem(
                    code: "notRecognized", text: "This is not the code in the terminal that runs 'daybook serve'.",
                    remedy: Remedy.retry.rawValue)
            }
            return nil
        },
        "setLock": .on { act, board in
            try await board.session.journals.setLock(try act.require(act.on), isAvailable: true)
        },
    ]
}

extension VerbArguments {
    fileprivate func threadID() throws -> UUID { try uuid(require(thread)) }
}

extension Board {
    /// What is being written in a thread, on whichever page.
    func draft(of thread: UUID) throws -> DraftModel {
        if let draft = drafts[thread] { return draft }
        let draft = try DraftModel(session.journals, thread: thread)
        drafts[thread] = draft
        return draft
    }

    /// Saves what was typed, and forgets it: another page may go on with it.
    func saveDrafts() async {
        for draft in drafts.values where draft.saving != .saved { await draft.save() }
        drafts = [:]
    }
}
