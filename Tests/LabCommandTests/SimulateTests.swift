#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The command `simulate`.
    @Suite(.serialized) struct SimulateTests {
        private static let good = """
            name: Tomorrow's tasks are in Today after midnight
            requirements: [C-S3.9]
            starts: 2026-03-10 23:59
            zone: Europe/Istanbul
            steps:
              - create: Water the plants
                on: tomorrow
              - advance: 1m
              - expect:
                  today: [Water the plants]

            """

        private static let failing = good.replacingOccurrences(of: "today: [Water the plants]", with: "today: []")

        /// Creates a program with these files in its folder.
        private func program(_ files: [String: String] = [:]) throws -> TestProgram {
            let program = try TestProgram()
            for (name, text) in files {
                let file = URL(fileURLWithPath: "\(program.folder)/\(name)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
            try FileManager.default.createDirectory(
                atPath: "\(program.folder)/scratch", withIntermediateDirectories: true)
            return program
        }

        private static func environment(of program: borrowing TestProgram) -> [String: String] {
            ["TMPDIR": "\(program.folder)/scratch", "DAYBOOK_COMMIT": "abc1234"]
        }

        /// Runs the command and checks that it leaves no files in its scratch folder.
        private func run(_ arguments: [String], in program: borrowing TestProgram) throws -> TestProgram.Result {
            let result = try program.run(
                ["simulate"] + arguments, environment: Self.environment(of: program), isBare: true)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(program.folder)/scratch") == [], "\(arguments)")
            return result
        }

        private func lines(of file: String, in program: borrowing TestProgram) throws -> [[String: Any]] {
            let text = try String(contentsOfFile: "\(program.folder)/\(file)", encoding: .utf8)
            return try text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }

        // MARK: Files

        @Test("A scenario that succeeds is listed with its requirements, steps and duration")
        func goodStory() throws {
            let program = try program(["a.yaml": Self.good])
            let result = try run(["a.yaml"], in: program)
            #expect(result.code == 0, "\(result.output) \(result.errors)")
            #expect(result.errors.isEmpty)
            let row = try #require(result.lines.first { $0.hasPrefix("pass") })
            for word in ["a.yaml", " 3 ", " 1m ", "C-S3.9", "Tomorrow's tasks"] { #expect(row.contains(word)) }
            #expect(result.lines.last?.hasPrefix("1 scenario, 3 steps, ") == true)

            let json = try run(["a.yaml", "--json", "--twice", "--plain"], in: program).json()
            #expect(json["ok"] as? Bool == true)
            let scenario = try #require((json["scenarios"] as? [[String: Any]])?.first)
            #expect(scenario["requirements"] as? [String] == ["C-S3.9"])
            #expect(scenario["simulatedMicroseconds"] as? Int == 60_000_000)
            #expect(scenario["steps"] as? Int == 3)
        }

        @Test("A scenario that fails is reported with file, line, last steps, and the expected and found values")
        func failingStory() throws {
            let program = try program(["a.yaml": Self.good, "b.yaml": Self.failing])
            let result = try run(["a.yaml", "b.yaml"], in: program)
            #expect(result.code == 1)
            #expect(result.errors.isEmpty)
            let lines = result.lines.map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines.contains { $0.hasPrefix("pass") } && lines.contains { $0.hasPrefix("FAIL") })
            let start = try #require(lines.firstIndex { $0.hasPrefix("b.yaml:9: ") || $0.hasPrefix("b.yaml:10: ") })
            let report = lines[start...]
            #expect(report.contains { $0.hasPrefix("2  2026-03-11 00:00 Europe/Istanbul  advance: 1m") })
            let expected = try #require(report.firstIndex(of: "expected:"))
            let found = try #require(report.firstIndex(of: "found:"))
            #expect(report[expected + 1] == "[]" && report[found + 1] == "[Water the plants]")
            #expect(lines.last?.hasSuffix("1 failed") == true)

            let json = try run(["b.yaml", "--json"], in: program).json()
            #expect(json["ok"] as? Bool == false)
            let failure = try #require((json["scenarios"] as? [[String: Any]])?.first?["failure"] as? [String: Any])
            #expect(failure["subject"] as? String == "today")
            #expect(failure["found"] as? String == "[Water the plants]")
        }

        @Test("A folder stands for every scenario below it, in order; the default is the folder Simulations")
        func folders() throws {
            let program = try program([
                "Simulations/b.yaml": Self.good, "Simulations/a/z.yaml": Self.good, "Simulations/notes.txt": "x",
                "Simulations/sync/c.yaml": Self.devices, "empty/notes.txt": "x",
            ])
            for arguments in [[], ["Simulations"], ["Simulations/"]] {
                let json = try run(arguments + ["--json"], in: program).json()
                let files = (json["scenarios"] as? [[String: Any]])?.compactMap { $0["file"] as? String }
                #expect(files == ["Simulations/a/z.yaml", "Simulations/b.yaml"], "\(arguments)")
            }
            #expect(try run(["empty"], in: program).isRefusal(3))
        }

        @Test("An invalid scenario is refused with its file and line before any scenario is run")
        func malformed() throws {
            let program = try program([
                "a.yaml": Self.good,
                "b.yaml": Self.good.replacingOccurrences(of: "advance: 1m", with: "advance: often"),
            ])
            let result = try run(["a.yaml", "b.yaml"], in: program)
            #expect(result.isRefusal(2), "\(result.output) \(result.errors)")
            #expect(result.errors.hasPrefix("daybook: b.yaml:8: "))
        }

        @Test("A missing file is refused")
        func missing() throws {
            let program = try program()
            let result = try run(["nowhere.yaml"], in: program)
            #expect(result.isRefusal(3))
            #expect(result.errors.contains("nowhere.yaml"))
            let nothing = try run([], in: program)
            #expect(nothing.isRefusal(2))
            #expect(nothing.errors.contains("--runs"))
        }

        @Test("The trace has a line for each scenario and one for each event; the page is one file")
        func traceAndPage() throws {
            let program = try program(["a.yaml": Self.good, "b.yaml": Self.failing])
            let result = try run(["a.yaml", "b.yaml", "--trace", "t.ndjson", "--html", "p.html"], in: program)
            #expect(result.code == 1)
            let lines = try lines(of: "t.ndjson", in: program)
            #expect(lines.count == 8)
            #expect(lines.compactMap { $0["file"] as? String } == ["a.yaml", "b.yaml"])
            #expect(lines[1]["step"] as? String == "create: Water the plants, on: tomorrow")
            #expect(lines[6]["today"] as? [String] == ["Water the plants (notStarted)"])
            let page = try String(contentsOfFile: "\(program.folder)/p.html", encoding: .utf8)
            #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("Water the plants"))
            // An unusable path is refused.
            #expect(try run(["a.yaml", "--trace", "no/t.ndjson"], in: program).isRefusal(3))
        }

        // MARK: Devices that sync

        private static let devices = """
            name: A rename and a completion both survive
            requirements: [L-SY1]
            devices: 2
            steps:
              - { on: 1, create: Milk }
              - sync
              - { on: 1, edit: Milk, text: Oat milk }
              - { on: 2, annotate: Milk, with: 2 liters }
              - sync
              - expect: { tasks: [Oat milk], notes: { Oat milk: 2 liters } }

            """

        @Test("Every scenario of devices in Simulations/sync passes, twice with the same digest")
        func devices() throws {
            let folder = URL(filePath: #filePath).appending(path: "../../../Simulations/sync").standardized.path
            let program = try program()
            let json = try run(["--json", "sync", folder, "--twice"], in: program).json()
            let scenarios = try #require(json["scenarios"] as? [[String: Any]])
            #expect(scenarios.count >= 20)
            #expect(Set(scenarios.compactMap { $0["name"] as? String }).count == scenarios.count)
            for scenario in scenarios {
                #expect(scenario["problems"] as? [String] == [], "\(scenario["file"] ?? "")")
                #expect((scenario["requirements"] as? [String])?.isEmpty == false)
            }
        }

        @Test("A scenario of devices fails with its line if a device has something else, or a rule is broken")
        func failingDevices() throws {
            let program = try program([
                "good.yaml": Self.devices,
                "bad.yaml": Self.devices.replacingOccurrences(of: "tasks: [Oat", with: "tasks: [Soy"),
            ])
            let result = try run(["sync", "good.yaml", "bad.yaml"], in: program)
            #expect(result.code == 1, "\(result.output) \(result.errors)")
            #expect(result.lines.first?.hasPrefix("pass  good.yaml") == true)
            #expect(result.output.contains("line 10: device 1: tasks: expected [\"Soy milk\"], found [\"Oat milk\"]"))
            #expect(result.lines.last == "2 scenarios of devices: 1 failed")
            #expect(try run(["--sync", "good.yaml", "--inject", "stampsWholeRecords"], in: program).code == 1)
        }

        @Test(
            "A scenario of devices that is not understood is refused with its line",
            arguments: [
                ("  - sync", "  - synk"), ("text: Oat milk", "texts: Oat milk"), ("devices: 2", "device: 2"),
                ("on: 1, create: Milk", "create: Milk"), ("tasks: [Oat", "task: [Oat"),
            ])
        func misunderstoodDevices(old: String, new: String) throws {
            let text = Self.devices.replacingOccurrences(of: old, with: new)
            let program = try program(["a.yaml": text])
            let result = try run(["sync", "a.yaml"], in: program)
            #expect(result.isRefusal(2), "\(result.output) \(result.errors)")
            #expect(result.errors.hasPrefix("daybook: a.yaml:"), "\(result.errors)")
        }

        // MARK: Random scenarios

        @Test("Equal seeds give equal scenarios, one by one and in a campaign, and other seeds give others [S-50]")
        func sameSeed() throws {
            let program = try program()
            let options = ["--runs", "3", "--steps", "40", "--json", "--trace"]
            let jsons = try [("5", "a"), ("5", "b"), ("6", "c")].map { seed, file in
                var json = try run(["--seed", seed] + options + [file], in: program).json()
                #expect(json["ok"] as? Bool == true)
                for key in ["seconds", "stepsPerSecond"] { json[key] = nil }
                return json
            }
            #expect(jsons[0] as NSDictionary == jsons[1] as NSDictionary)
            #expect(jsons[0]["digest"] as? String != jsons[2]["digest"] as? String)
            #expect(jsons[0]["steps"] as? Int == 120 && jsons[0]["runs"] as? Int == 3)
            #expect(jsons[0]["judged"] as? Bool == false)
            #expect((jsons[0]["coverage"] as? [Any])?.isEmpty == false)

            let traces = try ["a", "b", "c"].map { try lines(of: $0, in: program) }
            #expect(traces[0] as NSArray == traces[1] as NSArray)
            #expect(traces[0].compactMap { $0["story"] == nil ? nil : $0["seed"] as? Int } == [5, 6, 7])
            // What follows takes slices, which would end the process of all tests.
            try #require(traces[0].count == 123 && traces[2].count >= 82)
            // The second scenario of one campaign is the first of the next.
            #expect(Array(traces[0][41...]) as NSArray == Array(traces[2][..<82]) as NSArray)
        }

        @Test("The first line and the last contain the seed; coverage of a small campaign is not judged")
        func headline() throws {
            let program = try program()
            let result = try run(["--runs", "1", "--steps", "20", "--twice", "--plain"], in: program)
            #expect(result.code == 0, "\(result.output)")
            let first = try #require(result.lines.first)
            #expect(first.contains(/^simulate: seed [0-9]+, commit abc1234, 1 runs of 20 steps, twice, plain$/))
            #expect(result.lines.last == first)
            #expect(result.lines.contains { $0.hasPrefix("20 steps in 1 runs, ") && $0.contains("on 1 process: ") })
            #expect(result.output.contains("was not judged"))
            #expect(!result.output.contains("NOT REACHED"))
        }

        @Test("A page of random scenarios contains some of them, and the number is reported")
        func pageOfRandomStories() throws {
            let program = try program()
            let result = try run(["--seed", "1", "--runs", "21", "--steps", "3", "--html", "p.html"], in: program)
            #expect(result.code == 0)
            #expect(result.errors == "daybook: The page contains the first 20 of 21 scenarios.\n")
            let page = try String(contentsOfFile: "\(program.folder)/p.html", encoding: .utf8)
            #expect(page.contains("Seed 20") && !page.contains("Seed 21"))
        }

        @Test("A process that is ended by a signal is a failure of its current seed")
        func killedProcess() throws {
            let program = try program()
            let process = program.process(
                ["simulate", "--seed", "7", "--runs", "1", "--steps", "1000000", "--plain", "--json"],
                environment: Self.environment(of: program))
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let number = process.processIdentifier
            // The scratch folder contains a scenario's folder once it has begun.
            let scratch = "\(program.folder)/scratch/daybook-simulate-\(number)"
            while process.isRunning, (try? FileManager.default.contentsOfDirectory(atPath: scratch))?.isEmpty ?? true {
                sched_yield()
            }
            let children = try String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)
            let child = try #require(children.split(separator: " ").first.flatMap { pid_t($0) })
            kill(child, SIGKILL)
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
            let json = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            let failure = try #require(json["failure"] as? [String: Any])
            #expect(failure["seed"] as? Int == 7)
            #expect(failure["found"] as? String == "signal 9")
            #expect(failure["replay"] as? String == "daybook simulate --seed 7 --steps 1000000 --plain")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(program.folder)/scratch") == [])
        }

        @Test("An interruption ends all processes and leaves no files")
        func interruption() throws {
            let program = try program()
            let process = program.process(
                ["simulate", "--seed", "1", "--runs", "2", "--steps", "1000000", "--plain"],
                environment: Self.environment(of: program))
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let scratch = "\(program.folder)/scratch/daybook-simulate-\(process.processIdentifier)"
            while process.isRunning, (try? FileManager.default.contentsOfDirectory(atPath: scratch))?.isEmpty ?? true {
                sched_yield()
            }
            process.terminate()
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(program.folder)/scratch") == [])
        }

        // MARK: Service levels

        @Test("Service levels are reported with their faults, and the same seed gives the same output")
        func serviceLevels() throws {
            let program = try program()
            let arguments = ["service-levels", "--seed", "1", "--operations", "1000"]
            let result = try run(arguments, in: program)
            #expect(result.code == 0, "\(result.output) \(result.errors)")
            for words in [
                "seed 1, commit abc1234, 1000 operations", "5 % of the attempts", "J-SLO1",
                "every service level is met",
            ] {
                #expect(result.output.contains(words), "\(result.output)")
            }
            #expect(result.lines.count { $0.hasPrefix("J-SLO") && $0.hasSuffix(": met") } == 4)
            #expect(
                try run(Array(arguments.dropFirst()) + ["--service-levels"], in: program).output == result.output)
        }

        @Test("A service level that is missed is reported, and fails the run")
        func missedServiceLevel() throws {
            let program = try program()
            let arguments = ["service-levels", "--seed", "1", "--operations", "500", "--without-retries", "--json"]
            let result = try run(arguments, in: program)
            #expect(result.code == 1, "\(result.output) \(result.errors)")
            let json = try result.json()
            #expect(json["ok"] as? Bool == false)
            let levels = try #require(json["levels"] as? [[String: Any]])
            let met = Dictionary(uniqueKeysWithValues: levels.map { ($0["name"] as? String, $0["met"] as? Bool) })
            #expect(met["entrySaves"] == false && met["draftRecovery"] == true)
        }

        // MARK: Invalid arguments

        @Test(
            "Invalid arguments are refused in one line",
            arguments: [
                ["--seed", "-1"], ["--seed", "x"], ["--seed", "9223372036854775807"], ["--runs", "0"],
                ["--runs", "1", "--steps", "0"], ["--steps", "5"], ["a.yaml", "--seed", "1"], ["--bogus"],
                ["--trace", "", "--runs", "1"], ["--html", "", "--runs", "1"], ["--share", "2:2:/x"], ["zones", ""],
                ["--zones=x", "--runs", "1"], ["--zones", "x", "a.yaml"], ["zones", "x", "--twice"], ["--garden"],
                ["--operations", "5"], ["--service-levels", "--runs", "1"], ["service-levels", "--operations", "0"],
            ])
        func invalidArguments(arguments: [String]) throws {
            let program = try program()
            #expect(try run(arguments, in: program).isRefusal(2), "\(arguments)")
        }

        @Test("The zone check without independent results is refused")
        func noTruth() throws {
            let program = try program()
            let result = try run(["zones", "nowhere"], in: program)
            #expect(result.isRefusal(3), "\(result.output) \(result.errors)")
        }
    }
#endif
