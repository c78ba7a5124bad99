import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Parses XML completely and collects its elements.
final class MarkupReader: NSObject, XMLParserDelegate {
    /// The elements in order, with their attributes and the text directly within them.
    private(set) var elements: [(name: String, attributes: [String: String], text: String)] = []
    /// The first error; nil if the text is well-formed.
    private(set) var problem: String?
    private var open: [Int] = []

    init(_ text: String) {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        if !parser.parse() { problem = "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "?")" }
    }

    func all(_ name: String) -> [[String: String]] { elements.filter { $0.name == name }.map(\.attributes) }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(elements.count)
        elements.append((name, attributes, ""))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = open.last { elements[last].text += text }
    }
}
