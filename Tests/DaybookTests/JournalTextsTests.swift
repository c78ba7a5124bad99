import Daybook
import Foundation
import Testing

@Suite struct JournalTextsTests {
    /// Texts that translate one.
    private struct Some: JournalTexts {
        func undoNotice(for notice: ThreadUndoNotice) -> String { "weg" }
    }

    private func opened() async throws -> (TestDaybook, ThreadSummary, ThreadUndoNotice) {
        let opened = try TestDaybook()
        let journal = opened.daybook.journals
        let thread = try await journal.createThread("Garden", firstEntry: "x")
        try await journal.deleteThread(thread.id)
        let notice = try #require(journal.undoNotice)
        try await journal.undo(notice)
        return (opened, try #require(try journal.threads().first), notice)
    }

    @Test("The question before a deletion has the number of entries, and one of one in the singular [J-OP5]")
    func question() async throws {
        let (opened, summary, _) = try await opened()
        let journal = opened.daybook.journals
        var questions: [String] = []
        for _ in 0..<2 {
            let found = try journal.read { try $0.deletionQuestion(of: summary.thread) }
            let turkish = try journal.read { try $0.deletionQuestion(of: summary.thread, texts: TurkishTexts()) }
            questions += [found, turkish]
            try await journal.addEntry("y", to: summary.thread.id)
        }
        #expect(
            questions == [
                "Delete 'Garden'? This will also delete 1 entry.",
                "'Garden' silinsin mi? İçindeki 1 yazı da silinecek.",
                "Delete 'Garden'? This will also delete all 2 entries.",
                "'Garden' silinsin mi? İçindeki 2 yazının hepsi de silinecek.",
            ])
        for entry in try journal.entries(of: summary.thread.id) { try await journal.deleteEntry(entry.id) }
        #expect(
            try journal.read { try $0.deletionQuestion(of: summary.thread) } == "Delete 'Garden'? It has no entries.")
    }

    @Test("Every text of journals is translated, and what an application leaves out is English [J-OP11, J-DM6]")
    func translated() async throws {
        let (opened, summary, notice) = try await opened()
        func all(_ texts: some JournalTexts) -> [String] {
            [
                texts.emptyJournal, texts.emptyThread, texts.count(ofEntries: 1), texts.count(ofEntries: 2),
                texts.deletionQuestion(of: summary), texts.undoNotice(for: notice),
                texts.displayTime("2026-02-11 10:00", isEdited: true),
                texts.name(of: EntryPlace(city: nil, state: nil)),
                texts.text(for: LocationStatus.unavailable(.timedOut)), texts.text(for: LocationStatus.denied),
            ] + PlaceError.allCases.map { texts.text(for: $0) }
        }
        let (english, turkish) = (all(EnglishJournalTexts()), all(TurkishTexts()))
        for (one, other) in zip(english, turkish) { #expect(one != other) }
        #expect(all(EnglishTexts()) == english)
        #expect(zip(all(Some()), english).filter { $0 != $1 }.map(\.0) == ["weg"])
        #expect(english.suffix(4).contains("Location request timed out") && english.contains("1 entry"))
        #expect(english.contains("Unknown City, Unknown State"))
        let place = EntryPlace(city: "Ankara", state: nil)
        #expect(TurkishTexts().text(for: LocationStatus.found(place)) == "Ankara, Bilinmeyen Bölge")
        let journal = opened.daybook.journals
        let entry = try #require(try journal.entries(of: summary.thread.id).first)
        let edited = try await journal.editEntry(entry.id, "z")
        let time = entry.displayTime(in: opened.daybook.context.zone)
        #expect(edited.displayTime(in: opened.daybook.context.zone, texts: TurkishTexts()) == "\(time) (düzenlendi)")
    }
}
