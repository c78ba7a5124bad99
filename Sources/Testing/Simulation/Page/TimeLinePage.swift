/// A page that draws stories as time lines: local days and midnights in each zone, what was done, crashes, and what each
/// view held after every event.
///
/// It is one file without anything from elsewhere, and the same stories make the same page. All of it is there without
/// JavaScript, which adds stepping by keys and following a task with the eyes.
public struct TimeLinePage: Sendable {
    private let stories: [Story]

    /// A page of these stories, in this order. With more than one of them it begins with a list.
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
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            <style>\(PageStyle.text)</style>
            </head>
            <body>
            \(EventMark.definitions)
            <main>
            \(body)</main>
            <script>\(PageScript.text)</script>
            </body>
            </html>

            """
    }

    private var title: String {
        guard stories.count == 1, let story = stories.first else {
            return "\(PageText.counted(stories.count, "story", plural: "stories")) · Daybook"
        }
        return "\(PageText.escaped(story.scenario.name)) · Daybook"
    }
}
