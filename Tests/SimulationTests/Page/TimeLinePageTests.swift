import Daybook
import LabSupport
import Testing

@testable import Simulation

@Suite struct TimeLinePageTests {
    private func samples() throws -> [Story] {
        [try StorySamples.shortNight(), try StorySamples.dateLine(), try StorySamples.crash()]
    }

    @Test("Every event appears with its text, its outcome and an anchor")
    func showsEveryEvent() throws {
        for story in try samples() + [StorySamples.random(events: 120, seed: 3)] {
            let html = TimeLinePage([story]).html
            for event in story.events {
                let id = "id=\"s1e\(event.number)\""
                #expect(html.pieces(between: id, and: "</li>\n").count == 1)
                let row = try #require(html.pieces(between: id, and: "</li>\n").first)
                #expect(row.contains("m-\(EventMark(event).rawValue)"))
                #expect(row.textOnly.contains(HTMLText.escaped(event.text.verbAndRest)))
                if event.outcome != "done" { #expect(row.contains(HTMLText.escaped(event.outcome))) }
                #expect(row.contains("<div><dt>wall</dt><dd>\(event.wall)</dd></div>"))
            }
            #expect(html.count(of: " id=\"s1e") == story.events.count)
        }
    }

    @Test("Every event lists the views after it, in order and with states")
    func showsViews() throws {
        for story in try samples() + [StorySamples.random(events: 120, seed: 4)] {
            let html = TimeLinePage([story]).html
            for event in story.events where event.completed != nil {
                let row = try #require(html.pieces(between: "id=\"s1e\(event.number)\"", and: "</li>\n").first)
                let views = try #require(row.pieces(between: "<div class=\"views\">", and: "</div>").first)
                let shown = views.pieces(between: "<section>", and: "</section>").map { section in
                    section.pieces(between: "<li class=", and: "</bdi>").compactMap { item -> String? in
                        guard !item.hasPrefix("gone"), let name = item.pieces(between: "<bdi>", and: nil).first else {
                            return nil
                        }
                        return "\(item.first { "nac".contains($0) } ?? "?") \(name)"
                    }
                }
                let held = event.views.map { view in
                    view.map { "\(["n", "a", "c"][Int($0.state.rawValue)]) \(HTMLText.escaped($0.name))" }
                }
                #expect(shown == held, "event \(event.number)")
                #expect(
                    views.pieces(between: "<h4>", and: " <span").joined(separator: " ") == "Inbox Today Upcoming Past")
            }
        }
    }

    @Test("Equal runs produce equal pages")
    func isDeterministic() throws {
        let stories = try samples() + [StorySamples.random(events: 200, seed: 5)]
        #expect(TimeLinePage(stories).html == TimeLinePage(stories).html)
    }

    @Test("The page is self-contained")
    func standsAlone() throws {
        let html = TimeLinePage(try samples()).html
        for word in ["http:", "https:", "src=", "@import", "url("] { #expect(!html.contains(word), "\(word)") }
        #expect(html.count(of: "<link") == 1)
        #expect(html.count(of: "<script") == 1)
    }

    @Test("Names cannot inject markup, close the script, or reorder surrounding text")
    func escapesNames() throws {
        let story = try StorySamples.hostileNames()
        for stories in [[story], [story, story]] {
            let html = TimeLinePage(stories).html
            #expect(html.count(of: "</script") == 1)
            for text in ["<b>x", "<b>bold", "<i>\"", "<script>alert", "<!-- ", " onmouseover=\"", "\u{0}", "\u{202E}"] {
                #expect(!html.contains(text), "\(text)")
            }
            #expect(html.contains("&lt;/script&gt;&lt;b&gt;x"))
            #expect(html.contains("<bdi>קנה חלב ולחם</bdi>"))
            #expect(html.contains("🧑‍🚀 to the 🌙"))
        }
    }

    @Test("Elements are properly nested")
    func isWellFormed() throws {
        let page = TimeLinePage(
            try samples() + [StorySamples.hostileNames(), StorySamples.random(events: 80, seed: 9)])
        #expect(page.html.unbalancedElement == nil)
    }

    @Test("A page with several runs starts with a list of links and verdicts")
    func listsStories() throws {
        let stories = try samples()
        #expect(!TimeLinePage([stories[0]]).html.contains("<nav"))
        let html = TimeLinePage(stories).html
        let list = try #require(html.pieces(between: "<nav", and: "</nav>").first)
        for (index, story) in stories.enumerated() {
            let row = list.pieces(between: "<tr", and: "</tr>")[index + 1]
            #expect(row.contains("href=\"#s\(index + 1)\"") && html.contains("id=\"s\(index + 1)\""))
            #expect(row.contains(HTMLText.escaped(story.scenario.name)))
            #expect(row.contains(story.isGood ? "✓ passed" : "✗ failed"))
        }
        #expect(html.contains("1 failed."))
        #expect(TimeLinePage([]).html.contains("0 scenarios"))
    }

    @Test("The header has the verdict, the expected and found values, and the facts for a replay")
    func showsHead() throws {
        var story = try StorySamples.crash()
        story.scenario.seed = 4_711
        let html = TimeLinePage([story]).html
        for text in [
            "Failed:", "[Buy a ticket, Lock the door]", "[Lock the door, Buy a ticket]", "href=\"#s1e14\"",
            "America/Los_Angeles", "2026-07-01 23:59:58.25", "4711", "S-50, S-51", "00c0ffee12345678",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(html.count(of: "not as expected") == 1)
        #expect(!TimeLinePage([try StorySamples.shortNight()]).html.contains("not as expected"))
    }

    @Test("Updates of live views and changed statistics appear")
    func showsTellings() throws {
        let html = TimeLinePage([try StorySamples.shortNight()]).html
        #expect(html.contains("<li><bdi>inserted Read about tides at 0</bdi>"))
        #expect(html.contains("<div class=\"new\"><dt>week</dt><dd>1</dd></div>"))
    }

    @Test("Irregular days are described in words")
    func namesOddDays() throws {
        #expect(TimeLinePage([try StorySamples.shortNight()]).html.contains("<em>23 h long</em>"))
        #expect(TimeLinePage([try StorySamples.shortNight()]).html.contains("<em>02:00 becomes 03:00</em>"))
        #expect(TimeLinePage([try StorySamples.dateLine()]).html.contains("<em>Fri 30 Dec is skipped</em>"))
    }

    @Test("A page of 500 events stays below its size limit")
    func staysSmall() throws {
        #expect(TimeLinePage([try StorySamples.random(events: 500, seed: 7)]).html.utf8.count < 4_000_000)
    }
}

extension String {
    /// `create: A` as the page writes it.
    fileprivate var verbAndRest: String {
        split(separator: ":", maxSplits: 1).joined()
    }
}
