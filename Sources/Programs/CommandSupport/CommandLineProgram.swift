import ArgumentParser
import FoundationEssentials
import Logging
import Processes

/// Commands by name, in the order of the help.
package typealias CommandTable = KeyValuePairs<String, any ParsableCommand.Type>

/// The root command of a program, with the main function that all programs of Daybook share.
package protocol CommandLineProgram: ParsableCommand {
    /// The commands. The parser could derive the names from the types, but only by metadata lookups that take a millisecond
    /// of every start.
    static var commands: CommandTable { get }
    /// The subcommands of commands that have some; of a group in a group under both names, as in "journal field".
    static var groups: [String: CommandTable] { get }
    /// The command that runs when none is named.
    static var defaultCommand: (any ParsableCommand.Type)? { get }
    /// Texts that `help` prints besides those of the commands, by topic.
    static var helpTopics: [String: @Sendable () -> String] { get }
    /// Returns the arguments as the parser expects them; they are arranged for `groups` already.
    static func arranged(_ arguments: [String]) -> [String]
}

extension CommandLineProgram {
    package static var groups: [String: CommandTable] { [:] }
    package static var defaultCommand: (any ParsableCommand.Type)? { nil }
    package static var helpTopics: [String: @Sendable () -> String] { [:] }
    package static func arranged(_ arguments: [String]) -> [String] { arguments }

    /// Runs the command that the process's arguments name, and exits with the code that Daybook documents.
    ///
    /// It replaces ArgumentParser's `main`, and runs on the main thread: a command that only reads then needs no other.
    ///
    /// - Parameter intercept: called with the arguments before they are parsed; it may replace the process.
    @MainActor package static func runProgram(intercept: ([String]) throws -> Void = { _ in }) async -> Never {
        // Makes writing beyond the limit on file sizes an error like a full disk instead of the end of the process.
        CurrentProcess.ignoreFileSizeSignal()
        CrashMessage.install()
        // Errors are reported once, in one line, by this program and not by the library's log as well.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        do {
            let typed = try ArgumentList.ofProcess()
            if typed.words.count == 2, typed.words[0] == "help", let topic = helpTopics[typed.words[1]] {
                try Output.standard.write(topic())
                CurrentProcess.end(ProgramExit.done.rawValue)
            }
            let arguments = arranged(try typed.arranged(for: commands, groups: groups))
            try intercept(arguments)
            var command = try command(for: arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let failure = Failure(error, of: Self.self)
            failure.report()
            _ = IntactCopy.remove()
            CurrentProcess.end(failure.code.rawValue)
        }
        CurrentProcess.end((IntactCopy.remove() ? ProgramExit.done : .checkFailed).rawValue)
    }

    /// Parses the arguments by the command that they name alone. To parse them from the root, the parser looks up the
    /// metadata of every command, which takes 2 of a process's 8 milliseconds; that is left for help and errors, whose texts
    /// name the program.
    private static func command(for arguments: [String]) throws -> any ParsableCommand {
        let named = commands.first { $0.key == arguments.first }?.value
        if let type = named ?? defaultCommand {
            let rest = named == nil ? arguments : Array(arguments.dropFirst())
            // A request for help parses as well, as the parser's own command.
            if let command = try? type.parseAsRoot(rest), Swift.type(of: command) == type { return command }
        }
        return try parseAsRoot(arguments)
    }
}

/// The words of the command line before they are parsed.
struct ArgumentList {
    let words: [String]

    /// Returns the arguments of this process.
    ///
    /// - Throws: a usage error when one is not valid UTF-8. Swift would replace invalid bytes by U+FFFD, and the stored
    /// text would differ from the input.
    static func ofProcess() throws -> ArgumentList {
        let words = Array(CommandLine.arguments.dropFirst())
        // The bytes are checked only when something may have been replaced.
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

    /// Returns the words with the global options in front of a command's name moved behind it, where they are declared.
    ///
    /// - Parameter globals: options that stood before a group's name.
    /// - Throws: a usage error for an unknown command, which the parser would take for an argument of the default command.
    func arranged(
        for commands: CommandTable, groups: [String: CommandTable], after globals: [String] = [],
        below path: String = ""
    ) throws -> [String] {
        var globals = globals
        var index = 0
        while index < words.count, words[index].hasPrefix("-"), words[index] != "-", words[index] != "--" {
            // The parser handles the program's own options, such as --help, and unknown ones.
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
        // For an unknown command the parser would show the help of the program.
        if name == "help", let topic = words[(index + 1)...].first, !topic.hasPrefix("-"), !names.contains(topic) {
            throw unknown(topic, of: commands)
        }
        let rest = Array(words[(index + 1)...])
        // Groups are known by name: asking the types for their subcommands would slow down every start.
        if let group = groups[path + name] {
            let inner = ArgumentList(words: rest)
            return [name]
                + (try inner.arranged(for: group, groups: groups, after: globals, below: path + name + " "))
        }
        return [name] + globals + rest
    }

    private func unknown(_ name: String, of commands: CommandTable) -> CommandError {
        let names = commands.filter { $0.value.configuration.shouldDisplay }.map(\.key)
        let near = names.map { (name: $0, distance: Self.editDistance(name, $0)) }
            .filter { $0.distance <= 2 }.min { $0.distance < $1.distance }?.name
        let hint = near.map { "Did you mean '\($0)'? " } ?? ""
        return .usage("There is no command '\(name.prefix(40))'. \(hint)See 'daybook --help'.")
    }

    /// Returns the Levenshtein distance.
    private static func editDistance(_ left: String, _ right: String) -> Int {
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
