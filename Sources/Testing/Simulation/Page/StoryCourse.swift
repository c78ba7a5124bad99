/// A story in the height of a word: one stroke for each event, longer and of another colour the more it shakes.
struct StoryCourse {
    let story: Story

    /// As wide as it gets, in units; each stroke takes some of them.
    private static let width = 160

    var html: String {
        let count = story.events.count
        guard count > 0 else { return "" }
        // In tenths of a unit, so that the page does not depend on how fractions are written.
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
