extension DaybookStore {
    /// The folder of the store that Daybook's programs open unless another is named: `$DAYBOOK_STORE`, else
    /// `$XDG_DATA_HOME/daybook`, else `$HOME/.local/share/daybook`.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Returns: The path; nil if no variable says where.
    public static func standardFolder(in environment: [String: String]) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let folder = value("DAYBOOK_STORE") { return folder }
        // The XDG specification says to ignore relative paths.
        if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/daybook" }
        return value("HOME").map { $0 + "/.local/share/daybook" }
    }
}
