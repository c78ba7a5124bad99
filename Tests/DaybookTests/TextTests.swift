import Daybook
import Testing

@Suite struct TextTests {
    @Test(
        "A day is named as seen from today, in each language [C-S2.3]",
        arguments: [
            ("2026-02-11", "today", "bugün"), ("2026-02-12", "tomorrow", "yarın"), ("2026-02-10", "yesterday", "dün"),
            ("2026-02-13", "Fri", "Cum"), ("2026-02-17", "Tue", "Sal"), ("2026-02-18", "Feb 18", "18 Şub"),
            ("2026-02-08", "3 days ago", "3 gün önce"), ("2027-02-11", "Feb 11, 2027", "11 Şub 2027"),
        ])
    func relative(text: String, english: String, turkish: String) throws {
        let (day, today, zone) = (try Day(text), try Day("2026-02-11"), try Zone("Europe/Istanbul"))
        #expect(day.relativeText(today: today) == english)
        #expect(day.relativeText(today: today, in: TurkishTexts()) == turkish)
        let nine = TaskDue.time(day, secondsIntoDay: 9 * 3600)
        #expect(nine.end(in: zone).relativeText(today: today, zone: zone) == "\(english) 09:00")
        #expect(TurkishTexts().relative(nine, on: today, in: zone) == "\(turkish) 09:00")
        #expect(TurkishTexts().relative(.day(day), on: today, in: zone) == turkish)
    }

    @Test("Questions and spoken confirmations name what they are about, in each language [L-DM4, L-FR28]")
    func sentences() async throws {
        let opened = try TestDaybook()
        let (tasks, context) = (opened.daybook.tasks, opened.daybook.context)
        let (english, turkish) = (EnglishTexts(), TurkishTexts())
        let list = try await tasks.createList("Home")
        #expect(try tasks.deletionQuestion(ofList: list.id, in: turkish) == "'Home' silinsin mi? İçinde görev yok.")
        let day = context.today.advanced(by: 1)
        let made = try await tasks.create([
            NewTask("plain", list: list.id), NewTask("planned", on: day),
            NewTask("due", due: .time(day, secondsIntoDay: 9 * 3600)),
        ])
        #expect(
            try tasks.deletionQuestion(ofList: list.id, in: turkish)
                == "'Home', içindeki 1 görevle birlikte silinsin mi?")
        #expect(
            made.map { english.spokenCreation(of: $0, today: context.today, in: context.zone) } == [
                "Added 'plain'.", "Added 'planned' for tomorrow.", "Added 'due', due tomorrow 09:00.",
            ])
        #expect(
            made.map { turkish.spokenCreation(of: $0, today: context.today, in: context.zone) } == [
                "'plain' eklendi.", "'planned' eklendi: yarın.", "'due' eklendi, son tarih: yarın 09:00.",
            ])
        #expect(english.spokenCompletion(of: made[0]) == "Completed 'plain'.")
        #expect(turkish.spokenCompletion(of: made[0]) == "'plain' tamamlandı.")
    }
}
