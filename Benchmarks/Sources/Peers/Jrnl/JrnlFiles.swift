import Daybook
import FoundationEssentials
import Glibc

/// A folder with a journal of jrnl, and its settings.
struct JrnlFiles {
    let folder: String
    /// The program's full path.
    let program: String

    /// The title of the journal.
    static let title = "journal"

    /// 2024-01-01, in days since 1970.
    private static let firstDay = 19_723

    var journal: String { "\(folder)/\(Self.title).txt" }
    private var settings: String { "\(folder)/jrnl.yaml" }

    /// Returns the arguments of a command that uses this journal.
    func arguments(_ words: [String]) -> [String] { ["--config-file", settings] + words }

    /// Creates the folder with settings that answer everything that jrnl asks at its first start, and a journal of so many
    /// entries, as jrnl writes them.
    func make(entries count: Int) throws {
        try Folder.make(folder)
        // Where jrnl would look for other settings.
        setenv("XDG_CONFIG_HOME", folder, 1)
        let lines = [
            "version: '4.6'", "journals:", "  default:", "    journal: \(journal)", "encrypt: false", "editor: ''",
            "template: false", "default_hour: 9", "default_minute: 0", "timeformat: '%F %r'",
            "tagsymbols: '#@'",
            "highlight: false", "linewrap: 79", "indent_character: '|'", "colors:", "  body: none", "  date: none",
            "  tags: none", "  title: none", "",
        ]
        try lines.joined(separator: "\n").write(toFile: settings, atomically: true, encoding: .utf8)
        var text = ""
        for number in 0..<count { text += Self.entry(number) }
        try text.write(toFile: journal, atomically: true, encoding: .utf8)
    }

    /// Returns an entry of about 250 bytes: one each hour from 2024 on.
    private static func entry(_ number: Int) -> String {
        let day = Day(clampingDaysSince1970: firstDay + number / 24)
        // jrnl's own format: 12:00:00 AM, 01:00:00 AM, ... 11:00:00 PM.
        let (half, hour) = (number % 24).quotientAndRemainder(dividingBy: 12)
        let shownHour = hour == 0 ? 12 : hour
        return """
            [\(day) \(shownHour < 10 ? "0" : "")\(shownHour):00:00 \(half == 0 ? "AM" : "PM")] Entry \(number) about the garden
            It rained in the morning, and the tulips stood it well. Planted two roses beside the wall, watered what
            the rain did not reach, and saw the first swallows of the year. Nothing was eaten by the snails.


            """
    }

    /// Returns the first lines of the last entries, the oldest first.
    func last(_ count: Int) throws -> [String] {
        let text = try ChildProcess.output(of: program, arguments(["-n", "\(count)", "--short"]), in: folder)
        // Each line is the day, the time, AM or PM, and the title.
        return text.split(separator: "\n").map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
    }
}
