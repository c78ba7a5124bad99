/// One self-contained HTML page: it loads nothing, and equal contents produce equal bytes.
package struct HTMLPage {
    /// The title as plain text.
    private let title: String
    /// What the page shows.
    private let body: String
    /// Style sheets that follow the base style and may override it.
    private let styles: [String]
    private let script: String?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - title: plain text; it is escaped.
    ///   - styles: CSS after ``baseStyle``.
    ///   - script: JavaScript at the end of the page; nil for a page without any.
    ///   - body: HTML, taken as it is.
    package init(title: String, styles: [String], script: String? = nil, body: String) {
        self.title = title
        self.styles = styles
        self.script = script
        self.body = body
    }

    /// Colors, fonts and resets that every page of the lab begins with: `Resources/base.css`.
    package static let baseStyle = text(ofResource: PackageResources.base_css)

    /// Returns the text of a file that is compiled into the program (`.embedInCode` in Package.swift).
    package static func text(ofResource bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The page.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(HTMLText.escaped(title))</title>
        <link rel="icon" href="data:,">
        <style>
        \(([Self.baseStyle] + styles).joined(separator: "\n"))</style>
        </head>
        <body>
        \(body)\(script.map { "<script>\n\($0)</script>\n" } ?? "")</body>
        </html>

        """
    }
}
