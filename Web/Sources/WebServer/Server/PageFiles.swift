import FoundationEssentials

/// The files that the browser runs. They are in the program itself, so that it can be installed alone.
struct PageFiles: Sendable {
    /// A folder to read them from instead, while somebody works on them.
    let folder: String?

    private static let files: [String: [UInt8]] = [
        "index.html": PackageResources.index_html
    ]

    func answer(_ name: String) -> Answer? {
        guard let type = Self.type(of: name), let body = contents(of: name) else { return nil }
        return Answer(type: type, body: body)
    }

    private func contents(of name: String) -> Data? {
        if let folder, !name.contains("/"), !name.hasPrefix(".") {
            return FileManager.default.contents(atPath: "\(folder)/\(name)")
        }
        return Self.files[name].map { Data($0) }
    }

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
