import ArgumentParser
import FoundationEssentials

/// `daybook man`: the manual page, made from the definitions of the commands, so that it cannot say anything else than
/// the program does. Packagers call it; it is not listed.
struct ManualPage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Prints the manual page.",
        discussion: """
            Examples:
              daybook man > daybook.1
              daybook man | man -l -
            """, shouldDisplay: false)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let description = try JSONDecoder().decode(ToolDescription.self, from: Data(RootCommand._dumpHelp().utf8))
        try Output.standard.write(description.command.page)
    }
}

/// What ArgumentParser's `--experimental-dump-help` says, as far as it is needed here.
private struct ToolDescription: Decodable {
    let command: Command

    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let allValues: [String]?
        let abstract: String?
    }
}

extension ToolDescription.Command {
    /// The page, in the language of `man`.
    fileprivate var page: String {
        let shown = (subcommands ?? []).filter { $0.shouldDisplay ?? true && $0.commandName != "help" }
        let globals = Set(GlobalOptions.names + ["--help", "--version"])
        // Each command repeats the global options; the page says them once.
        let globalArguments = shown.first?.arguments?.filter { globals.contains($0.longName) } ?? []
        var page = """
            .TH DAYBOOK 1 "" "daybook \(RootCommand.configuration.version)" "User Commands"
            .SH NAME
            daybook \\- \(Troff.text(abstract ?? ""))
            .SH SYNOPSIS
            .B daybook
            .RI [ command ]
            .RI [ arguments ]
            .SH DESCRIPTION
            \(Troff.block(discussion ?? ""))
            .SH COMMANDS

            """
        for command in shown { page += command.section(leavingOut: globals) }
        page += ".SH GLOBAL OPTIONS\n" + globalArguments.map(\.entry).joined()
        page += """
            .SH EXIT STATUS
            .TP
            0
            Done.
            .TP
            1
            The check that was asked for failed.
            .TP
            2
            The command line is wrong, also where an id cannot be one or is the beginning of several.
            .TP
            3
            The store or a file could not be used.
            .TP
            4
            There is no such task.
            .TP
            5
            The operation is not allowed.
            .TP
            6
            bench --check could not measure well enough to tell.
            .TP
            130, 141
            Interrupted; the reader of the output went away.

            """
        return page
    }

    private func section(leavingOut globals: Set<String>) -> String {
        let own = (arguments ?? []).filter { $0.shouldDisplay && !globals.contains($0.longName) }
        let synopsis = ([commandName] + own.map(\.usage)).joined(separator: " ")
        return ".SS \(Troff.text(synopsis))\n\(Troff.text(abstract ?? ""))\n" + own.map(\.entry).joined()
            + (discussion.map { ".PP\n\(Troff.block($0))\n" } ?? "")
    }
}

extension ToolDescription.Argument {
    fileprivate var longName: String { names?.first { $0.kind == "long" }.map { "--\($0.name)" } ?? "" }

    private var value: String { allValues?.joined(separator: "|") ?? valueName ?? "" }

    private var spelling: String {
        switch kind {
        case "positional": value + (isRepeating ? "..." : "")
        case "flag": longName
        default: "\(longName) \(value)"
        }
    }

    fileprivate var usage: String { isOptional ? "[\(spelling)]" : spelling }

    fileprivate var entry: String { ".TP\n.B \(Troff.text(spelling))\n\(Troff.text(abstract ?? ""))\n" }
}

/// Text as troff wants it.
private enum Troff {
    /// In one line.
    static func text(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        // A line that begins so would be a command.
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    /// With its lines and their indentation.
    static func block(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { self.text(String($0)) }
        return ".nf\n" + lines.joined(separator: "\n") + "\n.fi"
    }
}
