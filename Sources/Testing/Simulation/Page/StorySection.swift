import Daybook

/// A story on the page: what it is about, whether it was good, and its line.
struct StorySection {
    let story: Story
    let number: Int
    /// Whether it is the only one.
    let isAlone: Bool

    var html: String {
        let scenario = story.scenario
        let heading = isAlone ? "h1" : "h2"
        return """
            <section class="story" id="s\(number)" aria-labelledby="s\(number)t">
            <header><p class="kind">\(kind)</p>
            <\(heading) id="s\(number)t">\(PageText.isolated(scenario.name))</\(heading)>
            \(verdict)
            \(headData)</header>
            \(StoryLine(story: story, number: number).html)
            \(legend)
            </section>

            """
    }

    private var kind: String {
        isAlone ? "Daybook · a story about time" : "Story \(number) · <a href=\"#\">all stories</a>"
    }

    private var verdict: String {
        guard let failure = story.failure else {
            return "<p class=\"verdict good\"><span aria-hidden=\"true\">✓</span> Everything was as it has to be.</p>"
        }
        let line = failure.line.map { " <span class=\"quiet\">line \($0)</span>" } ?? ""
        let link =
            story.failingEvent.map {
                " · <a href=\"#s\(number)e\(story.events[$0].number)\">event \(story.events[$0].number)</a>"
            }
            ?? ""
        return """
            <div class="verdict failed"><p><span aria-hidden="true">✗</span> <strong>Failed:</strong> \
            \(PageText.isolated(failure.subject))\(line)\(link)</p>
            <dl class="difference"><div><dt>Expected</dt><dd>\(PageText.isolated(failure.expected))</dd></div>\
            <div><dt>Found</dt><dd>\(PageText.isolated(failure.found))</dd></div></dl></div>
            """
    }

    private var headData: String {
        let scenario = story.scenario
        var entries = [
            ("Starts", PageText.escaped(scenario.start.description)),
            ("Zone", PageText.escaped(scenario.zone)),
            ("Week starts", PageText.escaped("\(scenario.weekStart)")),
            ("Seed", "\(scenario.seed)"),
        ]
        if !scenario.lookers.isEmpty {
            entries.append(("Looked at from", PageText.escaped(scenario.lookers.joined(separator: ", "))))
        }
        if !scenario.requirements.isEmpty {
            entries.append(("Requirements", PageText.escaped(scenario.requirements.joined(separator: ", "))))
        }
        if let file = scenario.file { entries.append(("File", PageText.isolated(file))) }
        entries.append(("Events", "\(story.events.count)"))
        entries.append(("Digest", "<code>\(PageText.hexadecimal(story.digest))</code>"))
        return "<dl class=\"facts\">" + entries.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" }.joined() + "</dl>"
    }

    /// The signs that this story uses.
    private var legend: String {
        let used = Set(story.events.map(EventMark.init))
        let signs = EventMark.allCases.filter(used.contains).map { "<li>\($0.picture) \($0.meaning)</li>" }
        return """
            <footer class="legend"><h3>Signs</h3><ul>\(signs.joined())</ul><ul class="signs">\(TaskMarkup.legend)</ul>
            <p>Time runs down and is drawn short. Each lane is a zone and each band of it a local day; the line runs in \
            the lane of the zone that the person is in.</p></footer>
            """
    }
}

extension Story {
    /// The index of the event that was found wrong: the one on the failure's line, else the last.
    var failingEvent: Int? {
        guard let failure else { return nil }
        if let line = failure.line, let index = events.lastIndex(where: { $0.line == line }) { return index }
        return events.indices.last
    }
}
