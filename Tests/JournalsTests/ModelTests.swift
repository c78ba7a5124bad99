import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Journals

/// Journals as plain values: what every operation should lead to.
private struct JournalModel: Equatable {
    struct Entry: Equatable {
        var id: UUID
        var content: String
        var timestamp: Instant
        var isEdited = false
        var isDeleted = false
        var place: String?
        var values: [UUID: String?] = [:]
    }

    struct Field: Equatable {
        var id: UUID
        var name: String
        var isDeleted = false
    }

    struct Thread: Equatable {
        var title: String
        var isDeleted = false
        /// In the order of insertion.
        var entries: [Entry] = []
        var fields: [Field] = []
    }

    var threads: [UUID: Thread] = [:]

    /// In the order of time, then of insertion: the sort of an array is stable only if ties are decided.
    func entries(of thread: UUID, includingDeleted: Bool = false) -> [Entry] {
        let all = threads[thread]?.entries.enumerated().filter { includingDeleted || !$0.element.isDeleted } ?? []
        return all.sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }.map(\.element)
    }

    var live: [UUID] { threads.filter { !$0.value.isDeleted }.keys.sorted { $0.uuidString < $1.uuidString } }
    var deleted: [UUID] { threads.filter(\.value.isDeleted).keys.sorted { $0.uuidString < $1.uuidString } }
}

@Suite struct ModelTests {
    @Test(
        "Random operations lead to what a plain model says, also after undo, redo and restarts",
        arguments: 1...12 as ClosedRange<UInt64>)
    func agrees(seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        var opened = try TestJournal(seed: seed)
        var model = JournalModel()
        var drafts: [UUID: String] = [:]
        var (undone, redone): ([JournalModel], [JournalModel]) = ([], [])
        let words = ["rose", "Röse", "roses", "garden", "日記", "a"]
        func text() -> String {
            (0...Int.random(in: 0..<4, using: &dice)).map { _ in words.randomElement(using: &dice) ?? "" }.joined(
                separator: " ")
        }
        for step in 0..<150 {
            // Sometimes nothing passes, sometimes the clock goes back.
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: break
            case 1: opened.clock.stepWall(byMicroseconds: -3_000_000)
            default: opened.clock.advance(byMicroseconds: Int64.random(in: 1...2_000_000, using: &dice))
            }
            let before = model
            let now = opened.clock.wall
            let thread = model.live.randomElement(using: &dice)
            let entry = thread.flatMap { model.entries(of: $0).randomElement(using: &dice) }
            let index = entry.flatMap { entry in
                thread.flatMap { model.threads[$0]?.entries.firstIndex { $0.id == entry.id } }
            }
            let field = thread.flatMap {
                model.threads[$0]?.fields.filter { !$0.isDeleted }.randomElement(using: &dice)
            }
            var isTracked = true
            switch Int.random(in: 0..<15, using: &dice) {
            case 0, 1:
                let title = text()
                let created = try await opened.journal.createThread(title)
                model.threads[created.id] = .init(title: title)
            case 2, 3, 4, 5:
                guard let thread else { continue }
                let (content, value) = (text(), text())
                var values: [UUID: String] = [:]
                if let field { values[field.id] = Bool.random(using: &dice) ? value : " " }
                let place = Bool.random(using: &dice) ? EntryPlace("Berlin, Germany") : nil
                let added = try await opened.journal.addEntry(
                    NewEntry(content, values: values, place: place), to: thread)
                model.threads[thread]?.entries.append(
                    .init(
                        id: added.id, content: content, timestamp: now, place: place?.description,
                        values: values.mapValues { $0 == " " ? nil : $0 }))
                drafts[thread] = nil
            case 6:
                guard let thread, let entry, let index else { continue }
                let content = text()
                try await opened.journal.editEntry(entry.id, content)
                if content == entry.content { isTracked = false }
                model.threads[thread]?.entries[index].content = content
                if content != entry.content { model.threads[thread]?.entries[index].isEdited = true }
            case 7:
                guard let thread, let entry, let index else { continue }
                try await opened.journal.deleteEntries([entry.id])
                model.threads[thread]?.entries[index].isDeleted = true
            case 8:
                guard let thread else { continue }
                try await opened.journal.deleteThread(thread)
                model.threads[thread]?.isDeleted = true
            case 9:
                guard let thread = model.deleted.randomElement(using: &dice) else { continue }
                try await opened.journal.restoreThread(thread)
                model.threads[thread]?.isDeleted = false
            case 10:
                guard let thread else { continue }
                let names = Set(model.threads[thread]?.fields.filter { !$0.isDeleted }.map(\.name) ?? [])
                guard let name = ["f", "g", "h"].first(where: { !names.contains($0) }) else { continue }
                let created = try await opened.journal.editFields { try $0.createField(name, in: thread) }
                model.threads[thread]?.fields.append(.init(id: created.id, name: name))
            case 11:
                guard let thread, let field else { continue }
                try await opened.journal.editFields { try $0.deleteField(field.id) }
                let place = model.threads[thread]?.fields.firstIndex { $0.id == field.id }
                if let place { model.threads[thread]?.fields[place].isDeleted = true }
            case 12:
                isTracked = false
                guard let thread else { continue }
                let content = text()
                try await opened.journal.saveDraft(content, for: thread)
                drafts[thread] = content
            case 13:
                isTracked = false
                guard let last = undone.popLast() else { continue }
                redone.append(model)
                try await opened.store.write { try $0.undo() }
                model = last
                for id in drafts.keys where model.threads[id] == nil { drafts[id] = nil }
            default:
                isTracked = false
                guard let last = redone.popLast() else { continue }
                undone.append(model)
                try await opened.store.write { try $0.redo() }
                model = last
            }
            if isTracked {
                undone.append(before)
                redone = []
            }
            if step % 40 == 39 { opened = try opened.reopened() }
            try expect(model, drafts, in: opened)
        }
        try opened.expectSound()
        // A purge of every thread leaves nothing.
        for thread in model.threads.keys { try await opened.journal.purgeThread(thread) }
        #expect(try opened.dump() == [])
        try opened.expectSound()
    }

    private func expect(_ model: JournalModel, _ drafts: [UUID: String], in opened: TestJournal) throws {
        let journal = opened.journal
        let shown = try journal.threads()
        try #require(Set(shown.map(\.thread.id)) == Set(model.live))
        #expect(shown.map(\.thread.updatedAt) == shown.map(\.thread.updatedAt).sorted(by: >))
        let all = try journal.threads(includingDeleted: true)
        #expect(all.map(\.thread.updatedAt) == all.map(\.thread.updatedAt).sorted(by: >))
        #expect(Set(all.map(\.thread.id)) == Set(model.threads.keys))
        for summary in shown {
            let id = summary.thread.id
            let expected = model.entries(of: id)
            #expect(summary.thread.title == model.threads[id]?.title && summary.entries == expected.count)
            let filled = try journal.filled(journal.entries(of: id))
            #expect(filled.map(\.entry.content) == expected.map(\.content))
            #expect(filled.map(\.entry.isEdited) == expected.map(\.isEdited))
            #expect(filled.map(\.entry.place?.description) == expected.map(\.place))
            #expect(
                filled.map { Dictionary(uniqueKeysWithValues: $0.values.map { ($0.field.id, $0.value) }) }
                    == expected.map(\.values))
            let deleted = try journal.entries(of: id, includingDeleted: true)
            #expect(deleted.map(\.id) == model.entries(of: id, includingDeleted: true).map(\.id))
            #expect(
                try journal.fields(of: id).map(\.field.name)
                    == model.threads[id]?.fields.filter { !$0.isDeleted }.map(\.name))
        }
        let stored = try model.threads.keys.compactMap { id in try journal.draft(of: id).map { (id, $0.content) } }
        #expect(Dictionary(uniqueKeysWithValues: stored) == drafts)
        for word in ["rose", "garden", "日"] {
            let key = Word.searched(in: word)
            let expected = model.live.flatMap { model.entries(of: $0) }.filter { entry in
                let words = Word.all(in: [entry.content])
                return key.allSatisfy { part in words.contains { $0.begins(with: part) } }
            }
            let found = try journal.search(word, limit: 10_000).records
            #expect(Set(found.map(\.id)) == Set(expected.map(\.id)))
        }
    }
}
