import FoundationEssentials

/// The files that the browser runs. They are in the program itself, so that it can be installed alone.
struct PageFiles: Sendable {
    /// A folder to read them from instead, while somebody works on them.
    let folder: String?

    private static let files: [String: [UInt8]] = [
        "index.html": PackageResources.index_html,
        "icon.svg": PackageResources.icon_svg,
        "check.svg": PackageResources.check_svg,
        "style.css": PackageResources.style_css,
        "statistics.css": PackageResources.statistics_css,
        "store.css": PackageResources.store_css,
        "app.js": PackageResources.app_js,
        "details.js": PackageResources.details_js,
        "dom.js": PackageResources.dom_js,
        "drag.js": PackageResources.drag_js,
        "journals.js": PackageResources.journals_js,
        "keys.js": PackageResources.keys_js,
        "lists.js": PackageResources.lists_js,
        "plan.js": PackageResources.plan_js,
        "statistics.js": PackageResources.statistics_js,
        "store.js": PackageResources.store_js,
        "tasks.js": PackageResources.tasks_js,
        "wire.js": PackageResources.wire_js,
    ]

    func answer(_ name: String) -> WebResponse? {
        guard let type = Self.type(of: name), let body = contents(of: name) else { return nil }
        return WebResponse(type: type, body: body)
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
