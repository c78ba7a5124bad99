import Foundation
import TestSupport
import Testing

@Suite struct CommandLineTests {
    @Test(
        "Invalid command lines are refused",
        arguments: [
            ["bogus"], ["snapshot", "bogus"], ["snapshot", "create", "--level", "20"], ["snapshot", "prune", "."],
            ["simulate"], ["crashtest", "--budget", "0"],
            ["crashtest", "--replay", "nonsense"], ["crashtest", "--seed", "-1"], ["today", "extra"],
            ["today", "--bogus"],
            ["--bogus"],
            ["add"], ["done"], ["schedule", "0000"], ["help", "bogus"], ["completions", "tcsh"], ["completions"],
            ["today", "--week-start", "friday"], ["today", "--week-start"], ["today", "--wait"],
            ["today", "--wait=-1"], ["today", "--wait", "long"],
            ["today", "--wait", "nan"], ["today", "--wait", "1e3"], ["today", "--store", ""],
            ["today", "--zone", "Mars/Olympus"], ["today", "--zone", "../etc/passwd"], ["today", "--zone", ""],
            ["today", "--now", "yesterday"], ["today", "--now", "2026-02-10T09:15:00"],
            ["today", "--now", "2026-02-30T09:15:00Z"], ["add", "x", "--on", "2026-02-30"],
            ["add", "x", "--on", "someday"],
            ["add", "x", "--on", "2026-13-01"], ["add", "x", "--on", "+99999999d"], ["add", "x", "--on", ""],
            ["schedule", "0000", "2026-02-29"], ["stats", "--month", "2018-13"], ["stats", "--month", "April"],
            ["stats", "--month", "2018-4"],
        ])
    func wrongOnesAreRefused(_ arguments: [String]) throws {
        var program = try TestProgram()
        if arguments.contains("--now") { program.now = nil }
        if arguments.contains("--zone") { program.zone = nil }
        let standing = arguments.contains("--store") ? [] : program.standing
        let result = try program.run(arguments + standing, isBare: true)
        #expect(result.isRefusal(2), "\(arguments): \(result.code) \(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test("Scheduling on a past day is not allowed")
    func schedulingOnAPastDayIsNotAllowed() throws {
        let program = try TestProgram()
        #expect(try program.run("add", "x", "--on", "2026-02-09").isRefusal(5))
        let id = try program.add("x")
        #expect(try program.run("schedule", id, "yesterday").isRefusal(5))
        #expect(try program.texts("inbox") == ["x"])
    }

    @Test("Errors about unknown zones suggest similar names")
    func errorsAboutUnknownZonesSuggestSimilarNames() throws {
        var program = try TestProgram()
        program.zone = "Europe/Istambul"
        #expect(try program.run("today").errors.contains("Europe/Istanbul"))
    }

    @Test("An unusable $TZ is reported, and the zone that is used instead")
    func unusableZoneVariable() throws {
        var program = try TestProgram()
        program.zone = nil
        let result = try program.run("today", environment: ["TZ": "Mars/Olympus"])
        #expect(result.code == 0)
        #expect(result.errors.contains("Mars/Olympus") && result.errors.contains(" is used. "))
    }

    @Test("Errors about unknown commands suggest similar ones")
    func errorsAboutUnknownCommandsSuggestSimilarOnes() throws {
        let program = try TestProgram()
        #expect(try program.run("tdoay").errors.contains("'today'"))
    }

    @Test("Errors contain no text of tasks")
    func errorsContainNoTextOfTasks() throws {
        let program = try TestProgram()
        let secret = "xyzzy-secret"
        let id = try program.add(secret)
        _ = try program.add(secret)
        let commands = [
            ["done", "0000"], ["schedule", id, "2020-01-01"], ["reorder", id, "--before", "0000"],
            ["add", secret, "--on", "2020-01-01"], ["show", "ffff"],
        ]
        for command in commands {
            let result = try program.run(command)
            #expect(result.code != 0)
            #expect(!result.errors.contains(secret))
        }
    }

    @Test("Every command has help [C-NFR27]")
    func everyCommandHasHelp() throws {
        let program = try TestProgram()
        let help = try program.run("--help", isBare: true)
        #expect(help.code == 0)
        #expect(help.errors.isEmpty)
        for example in ["daybook add", "daybook today", "daybook done"] { #expect(help.output.contains(example)) }
        let commands = [
            "add", "inbox", "today", "upcoming", "past", "show", "start", "done", "reopen", "cycle", "schedule",
            "unschedule", "reorder", "delete", "undo", "redo", "stats", "export", "import", "snapshot", "crashtest",
            "simulate",
            "verify", "rebuild",
            "info", "compact", "wipe", "completions",
        ]
        for command in commands {
            #expect(help.output.contains("  \(command) "))
            let own = try program.run(command, "--help", isBare: true)
            #expect(own.code == 0)
            #expect(own.output.contains("Examples:") && own.output.contains("daybook \(command)"))
            #expect(try program.run("help", command, isBare: true).output == own.output)
        }
        #expect(!help.output.contains("  man "))
        #expect(try program.run("--version", isBare: true).line == "1.0.0")
    }

    @Test("Completions contain commands, options and values", arguments: ["bash", "zsh", "fish"])
    func completionsContainCommandsOptionsAndValues(_ shell: String) throws {
        let program = try TestProgram()
        let script = try program.run("completions", shell)
        #expect(script.code == 0)
        for word in ["unschedule", "week-start", "taskwarrior"] { #expect(script.output.contains(word)) }
        #expect(try program.run("--generate-completion-script", shell, isBare: true).code == 0)
    }

    @Test("Bash parses the generated completions")
    func bashParsesTheGeneratedCompletions() throws {
        let program = try TestProgram()
        #expect(try program.shell("daybook completions bash > script && bash -n script").code == 0)
    }

    @Test("The manual page documents every command and option", arguments: ["daybook", "daybook-lab"])
    func manualPage(name: String) throws {
        let page = try String(contentsOf: Self.documentation.appending(path: "\(name).1"), encoding: .utf8)
        #expect(page.contains("Exit codes"))
        for hidden in ["in-process", "share", "worker", "memory-of"] { #expect(!page.contains("Fl -\(hidden)")) }
        let program = URL(fileURLWithPath: TestProgram.executable).deletingLastPathComponent().appending(path: name)
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["--experimental-dump-help"]
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let root = try JSONDecoder().decode(HelpDump.self, from: bytes).command
        #expect(!(root.subcommands ?? []).isEmpty)
        try check(root, in: page)
    }

    private func check(_ command: HelpDump.Command, in page: String) throws {
        guard command.shouldDisplay ?? true else { return }
        if let abstract = command.abstract { #expect(page.contains(Self.escaped(abstract)), "\(abstract)") }
        for argument in command.arguments ?? [] {
            for name in argument.names ?? [] where name.kind == "long" && argument.shouldDisplay {
                #expect(page.contains("-\(name.name)"), "\(name.name); Scripts/manual updates the page")
            }
        }
        for subcommand in command.subcommands ?? [] where subcommand.commandName != "help" {
            try check(subcommand, in: page)
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\e").replacingOccurrences(of: "\n", with: " ")
    }

    private static let documentation = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Documentation")
}

/// What `--experimental-dump-help` prints, as far as the test needs it.
private struct HelpDump: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind, name: String
        }

        let shouldDisplay: Bool
        let names: [Name]?
    }

    let command: Command
}
