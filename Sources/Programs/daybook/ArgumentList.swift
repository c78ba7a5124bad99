import ArgumentParser
import FoundationEssentials

/// The words of the command line, before they are parsed.
struct ArgumentList {
    let words: [String]

    /// What this process was started with.
    ///
    /// - Throws: a usage error when a word is not text. Swift would silently put U+FFFD in place of broken bytes, and a
    ///   task would be stored that nobody typed.
    static func ofProcess() throws -> ArgumentList {
        let words = Array(CommandLine.arguments.dropFirst())
        // The bytes are looked at only when something may have been repaired.
        if words.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }), !processArgumentsAreText() {
            throw CommandError.usage(
                "The command line is not valid UTF-8. Check the terminal's encoding and try again.")
        }
        return ArgumentList(words: words)
    }

    private static func processArgumentsAreText() -> Bool {
        guard let data = FileManager.default.contents(atPath: "/proc/self/cmdline") else { return true }
        return data.split(separator: 0).allSatisfy { String(validating: $0, as: UTF8.self) != nil }
    }

    /// The words with global options that stand before the command's name moved behind it, where they are declared.
    ///
    /// - Throws: a usage error for a command that does not exist, since the parser would take it for an argument of the
    ///   default command and say something confusing.
    ///
    /// - Parameter globals: options that stood further in front.
    func arranged(
        for commands: KeyValuePairs<String, any ParsableCommand.Type>, after globals: [String] = []
    ) throws -> [String] {
        var globals = globals
        var index = 0
        while index < words.count, words[index].hasPrefix("-"), words[index] != "-", words[index] != "--" {
            // The program's own options, such as --help, and wrong ones are the parser's.
            guard GlobalOptions.names.contains(where: { words[index] == $0 || words[index].hasPrefix($0 + "=") }) else {
                return words
            }
            globals.append(words[index])
            if GlobalOptions.namesWithValue.contains(words[index]), index + 1 < words.count {
                index += 1
                globals.append(words[index])
            }
            index += 1
        }
        guard index < words.count else { return words }
        let name = words[index]
        let names = commands.map(\.key)
        guard name == "help" || names.contains(name) else { throw unknown(name, of: commands) }
        // Of a command that does not exist there is no help; the parser would show that of the whole program.
        if name == "help", let topic = words[(index + 1)...].first, !topic.hasPrefix("-"), !names.contains(topic) {
            throw unknown(topic, of: commands)
        }
        let rest = Array(words[(index + 1)...])
        // Known by its name: to ask the types which of them have commands of their own would take every start longer.
        if name == SnapshotCommands.name {
            return [name] + (try ArgumentList(words: rest).arranged(for: SnapshotCommands.commands, after: globals))
        }
        return [name] + globals + rest
    }

    private func unknown(_ name: String, of commands: KeyValuePairs<String, any ParsableCommand.Type>) -> CommandError {
        let names = commands.filter { $0.value.configuration.shouldDisplay }.map(\.key)
        let near = names.map { (name: $0, distance: Self.distance(name, $0)) }
            .filter { $0.distance <= 2 }.min { $0.distance < $1.distance }?.name
        let hint = near.map { "Did you mean '\($0)'? " } ?? ""
        return .usage("There is no command '\(name.prefix(40))'. \(hint)See 'daybook --help'.")
    }

    /// How many letters have to be changed, added or left out.
    private static func distance(_ left: String, _ right: String) -> Int {
        var row = Array(0...right.count)
        for (leftIndex, leftLetter) in left.prefix(40).enumerated() {
            var diagonal = row[0]
            row[0] = leftIndex + 1
            for (rightIndex, rightLetter) in right.enumerated() {
                let substitution = diagonal + (leftLetter == rightLetter ? 0 : 1)
                diagonal = row[rightIndex + 1]
                row[rightIndex + 1] = min(substitution, row[rightIndex] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
