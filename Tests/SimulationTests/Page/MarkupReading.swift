/// Enough reading of markup to check a page.
extension String {
    /// What stands between one text and the next other one, each time; to the end when that is nil.
    func pieces(between start: String, and end: String?) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            guard let end else { return [String(rest)] }
            guard let close = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<close.lowerBound]))
            rest = rest[close.upperBound...]
        }
        return found
    }

    /// How often a text stands in it.
    func count(of text: String) -> Int { ranges(of: text).count }

    /// What is left without elements.
    var textOnly: String {
        var isInside = false
        var text = ""
        for character in self {
            if character == "<" {
                isInside = true
            } else if character == ">" {
                isInside = false
            } else if !isInside {
                text.append(character)
            }
        }
        return text
    }

    /// The first element that is closed without being open, or never closed; nil when all is well. Items of lists may be
    /// closed by the next one or by the end of the list, as HTML allows.
    var unbalancedElement: String? {
        let void: Set<String> = ["meta", "link", "br", "circle", "path", "use"]
        var open: [String] = []
        var rest = self[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
            if tag.hasPrefix("!") || void.contains(name) { continue }
            if tag.hasPrefix("/") {
                while name != "li", open.last == "li" { open.removeLast() }
                guard open.popLast() == name else { return String(tag) }
            } else {
                if name == "li", open.last == "li" { open.removeLast() }
                open.append(name)
            }
            if name == "script" || name == "style", !tag.hasPrefix("/"), let close = rest.firstRange(of: "</\(name)>") {
                rest = rest[close.upperBound...]
                open.removeLast()
            }
        }
        return open.last
    }
}
