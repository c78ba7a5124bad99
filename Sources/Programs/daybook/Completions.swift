import ArgumentParser

/// `daybook completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a completion script for a shell.",
        discussion: """
            Examples:
              daybook completions bash > ~/.local/share/bash-completion/completions/daybook
              daybook completions zsh > ~/.zfunc/_daybook
              daybook completions fish > ~/.config/fish/completions/daybook.fish
            """)

    /// The shells that there is a script for.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Output.standard.write(RootCommand.completionScript(for: shell.completionShell) + "\n")
    }
}
