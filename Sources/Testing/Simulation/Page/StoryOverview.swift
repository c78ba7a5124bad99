import Daybook

/// The list that a page of many stories begins with.
struct StoryOverview {
    let stories: [Story]

    var html: String {
        let failed = stories.count { !$0.isGood }
        let events = stories.reduce(0) { $0 + $1.events.count }
        let verdict =
            failed == 0
            ? "All of them good." : "<strong class=\"bad\">\(PageText.grouped(UInt64(failed))) failed.</strong>"
        var html = """
            <header class="top"><p class="kind">Daybook · stories about time</p>
            <h1>\(PageText.counted(stories.count, "story", plural: "stories"))</h1>
            <p class="lead">\(PageText.counted(events, "event")). \(verdict)</p></header>
            <nav aria-label="Stories"><table class="stories">
            <thead><tr><th scope="col">No.</th><th scope="col">Story</th><th scope="col">Zone</th>\
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
        <td class="name"><a href="#s\(number)">\(PageText.isolated(story.scenario.name))</a></td>\
        <td class="zone">\(PageText.escaped(story.scenario.zone))</td><td class="num">\(story.events.count)</td>\
        <td class="course">\(StoryCourse(story: story).html)</td>\
        <td class="verdict">\(story.isGood ? "✓ good" : "<strong class=\"bad\">✗ failed</strong>")</td></tr>

        """
    }
}
