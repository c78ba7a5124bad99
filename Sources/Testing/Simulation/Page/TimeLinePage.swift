import Daybook
import LabSupport

/// A page with a timeline of each run: local days and midnights in every zone, operations, crashes, and the views after
/// every event.
///
/// It is one self-contained file, and the same runs produce the same page. It is complete without JavaScript, which
/// adds navigation by keys and highlighting of tasks.
public struct TimeLinePage: Sendable {
    private let stories: [Story]

    /// Creates a page of these runs in order. With more than one, it starts with a list.
    public init(_ stories: [Story]) {
        self.stories = stories
    }

    /// The page.
    public var html: String {
        var body = ""
        if stories.count != 1 { body += StoryOverview(stories: stories).html }
        for (index, story) in stories.enumerated() {
            body += StorySection(story: story, number: index + 1, isAlone: stories.count == 1).html
        }
        return HTMLPage(
            title: title, styles: [HTMLPage.text(ofResource: PackageResources.timeline_css)],
            script: HTMLPage.text(ofResource: PackageResources.timeline_js),
            body: "\(EventMark.definitions)\n<main>\n\(body)</main>\n"
        ).html
    }

    private var title: String {
        guard stories.count == 1, let story = stories.first else {
            return "\(HTMLText.counted(stories.count, "scenario")) · Daybook"
        }
        return "\(story.scenario.name) · Daybook"
    }
}

/// The list at the top of a page with several runs.
struct StoryOverview {
    let stories: [Story]

    var html: String {
        let failed = stories.count { !$0.isGood }
        let events = stories.reduce(0) { $0 + $1.events.count }
        let verdict =
            failed == 0
            ? "All passed." : "<strong class=\"bad\">\(HTMLText.grouped(UInt64(failed))) failed.</strong>"
        var html = """
            <header class="top"><p class="kind">Daybook · simulation</p>
            <h1>\(HTMLText.counted(stories.count, "scenario"))</h1>
            <p class="lead">\(HTMLText.counted(events, "event")). \(verdict)</p></header>
            <nav aria-label="Scenarios"><table class="stories">
            <thead><tr><th scope="col">No.</th><th scope="col">Scenario</th><th scope="col">Zone</th>\
            <th scope="col" class="num">Events</th><th scope="col">Course</th><th scope="col">Verdict</th></tr></thead>
            <tbody>

            """
        for (index, story) in stories.enumerated() {
            html += row(story, number: index + 1)
        }
        return html + "</tbody></table></nav>\n"
    }

    private func row(_ story: Story, number: Int) -> String {
        """
        <tr\(story.isGood ? "" : " class=\"failed\"")><td class="num">\(number)</td>\
        <td class="name"><a href="#s\(number)">\(HTMLText.isolated(story.scenario.name))</a></td>\
        <td class="zone">\(HTMLText.escaped(story.scenario.zone))</td><td class="num">\(story.events.count)</td>\
        <td class="course">\(StoryCourse(story: story).html)</td>\
        <td class="verdict">\(story.isGood ? "✓ passed" : "<strong class=\"bad\">✗ failed</strong>")</td></tr>

        """
    }
}

/// One run on the page: facts, verdict, and timeline.
struct StorySection {
    let story: Story
    let number: Int
    /// Whether the page has no other run.
    let isAlone: Bool

    var html: String {
        let scenario = story.scenario
        let heading = isAlone ? "h1" : "h2"
        return """
            <section class="story" id="s\(number)" aria-labelledby="s\(number)t">
            <header><p class="kind">\(kind)</p>
            <\(heading) id="s\(number)t">\(HTMLText.isolated(scenario.name))</\(heading)>
            \(verdict)
            \(headData)</header>
            \(StoryLine(story: story, number: number).html)
            \(legend)
            </section>

            """
    }

    private var kind: String {
        isAlone ? "Daybook · simulation" : "Scenario \(number) · <a href=\"#\">all scenarios</a>"
    }

    private var verdict: String {
        guard let failure = story.failure else {
            return "<p class=\"verdict good\"><span aria-hidden=\"true\">✓</span> All expectations were met.</p>"
        }
        let line = failure.line.map { " <span class=\"quiet\">line \($0)</span>" } ?? ""
        let link =
            story.failingEvent.map {
                " · <a href=\"#s\(number)e\(story.events[$0].number)\">event \(story.events[$0].number)</a>"
            }
            ?? ""
        return """
            <div class="verdict failed"><p><span aria-hidden="true">✗</span> <strong>Failed:</strong> \
            \(HTMLText.isolated(failure.subject))\(line)\(link)</p>
            <dl class="difference"><div><dt>Expected</dt><dd>\(HTMLText.isolated(failure.expected))</dd></div>\
            <div><dt>Found</dt><dd>\(HTMLText.isolated(failure.found))</dd></div></dl></div>
            """
    }

    private var headData: String {
        let scenario = story.scenario
        var entries = [
            ("Starts", HTMLText.escaped(scenario.start.description)),
            ("Zone", HTMLText.escaped(scenario.zone)),
            ("Week starts", HTMLText.escaped("\(scenario.weekStart)")),
            ("Seed", "\(scenario.seed)"),
        ]
        if !scenario.observers.isEmpty {
            entries.append(("Also observed from", HTMLText.escaped(scenario.observers.joined(separator: ", "))))
        }
        if !scenario.requirements.isEmpty {
            entries.append(("Requirements", HTMLText.escaped(scenario.requirements.joined(separator: ", "))))
        }
        if let file = scenario.file { entries.append(("File", HTMLText.isolated(file))) }
        entries.append(("Events", "\(story.events.count)"))
        entries.append(("Digest", "<code>\(HTMLText.hexadecimal(story.digest))</code>"))
        return "<dl class=\"facts\">" + entries.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" }.joined() + "</dl>"
    }

    /// The symbols that this run uses.
    private var legend: String {
        let used = Set(story.events.map(EventMark.init))
        let signs = EventMark.allCases.filter(used.contains).map { "<li>\($0.picture) \($0.meaning)</li>" }
        return """
            <footer class="legend"><h3>Symbols</h3><ul>\(signs.joined())</ul><ul class="signs">\(TaskMarkup.legend)</ul>
            <p>Time runs downward and is compressed. Each lane is a zone and each band of it a local day; the line runs \
            in the lane of the user’s zone.</p></footer>
            """
    }
}

extension Story {
    /// The index of the failed event: the one on the failure's line, otherwise the last.
    var failingEvent: Int? {
        guard let failure else { return nil }
        if let line = failure.line, let index = events.lastIndex(where: { $0.line == line }) { return index }
        return events.indices.last
    }
}

/// A sparkline of a run: one stroke an event, longer and of another color for disruptive ones.
struct StoryCourse {
    let story: Story

    /// The maximum width in units.
    private static let width = 160

    var html: String {
        let count = story.events.count
        guard count > 0 else { return "" }
        // In tenths of a unit, so that the page does not depend on the formatting of fractions.
        let step = min(40, Self.width * 10 / count)
        var strokes: [(name: String, path: String)] = [("q", ""), ("o", ""), ("t", ""), ("x", "")]
        for (index, event) in story.events.enumerated() {
            let x = 10 + index * step
            let place = "\(x / 10).\(x % 10)"
            switch EventMark(event) {
            case .expectation, .refused: strokes[0].path += "M\(place) 9V11"
            case .operation, .elsewhere: strokes[1].path += "M\(place) 7V13"
            case .crash, .fault: strokes[3].path += "M\(place) 1V19"
            default: strokes[2].path += "M\(place) 4V16"
            }
        }
        let paths = strokes.filter { !$0.path.isEmpty }.map { "<path class=\"\($0.name)\" d=\"\($0.path)\"/>" }
        return """
            <svg class="strokes" viewBox="0 0 \(Self.width + 4) 20" width="\(Self.width + 4)" height="20" \
            aria-hidden="true">\(paths.joined())</svg>
            """
    }
}
