import Daybook
import LabSupport
import Simulation
import TestSupport
import Testing

@Suite struct ScenarioWriterTests {
    private let reader = ScenarioReader(vocabulary: GeneratedScenario.vocabulary)

    @Test("Written scenarios read back unchanged", arguments: TestBudget.range(4, long: 20))
    func roundTrip(batch: UInt64) throws {
        for seed in batch * 20..<(batch + 1) * 20 {
            var random = GeneratedScenario(seed: seed)
            let scenario = random.scenario()
            let text = ScenarioWriter().text(of: scenario, comment: "seed \(seed)\u{2028}\u{0}\r\nand more")
            let readBack = try reader.read(text, file: "random.yaml")
            #expect(readBack.withoutLines == scenario, "seed \(seed):\n\(text)")
        }
    }

    @Test("A step in one line reads back unchanged", arguments: TestBudget.range(2, long: 10))
    func lines(batch: UInt64) throws {
        for seed in batch * 20..<(batch + 1) * 20 {
            var random = GeneratedScenario(seed: seed)
            let actions = random.scenario().steps.map(\.action)
            let lines = actions.map { ScenarioWriter().line(of: $0) }
            #expect(!lines.contains { $0.contains(where: \.isNewline) })
            let text = goodHead + "steps:\(lines.isEmpty ? " []" : "")\n" + lines.map { "  - \($0)\n" }.joined()
            let readBack = try reader.read(text, file: "lines.yaml")
            #expect(readBack.withoutLines.steps.map(\.action) == actions, "seed \(seed):\n\(text)")
        }
    }

    @Test("A mutated file either reads or is rejected with one of its lines", arguments: TestBudget.range(2, long: 10))
    func damage(batch: UInt64) {
        for seed in batch * 40..<(batch + 1) * 40 {
            var random = GeneratedScenario(seed: seed)
            var generator = SeededGenerator(seed: seed)
            var text = Array(ScenarioWriter().text(of: random.scenario()).unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text.remove(at: index)
                case 1:
                    text.insert(
                        "-:#'\"[]{},?&*!|>%@` \n\t~a1".unicodeScalars.randomElement(using: &generator)!, at: index)
                default: text.swapAt(index, Int.random(in: 0..<text.count, using: &generator))
                }
            }
            let damaged = String(String.UnicodeScalarView(text))
            do {
                _ = try reader.read(damaged, file: "damaged.yaml")
            } catch .scenario(_, let line, let problem) {
                let count = text.count { $0 == "\n" } + 1
                #expect((1...count).contains(line), "\(problem)\n\(damaged)")
            } catch {
                Issue.record("Another error: \(error)")
            }
        }
    }

    @Test("Written files are readable")
    func looks() {
        var scenario = Scenario(
            name: "Tasks: a story", start: .local(try! Day("2026-03-10"), microseconds: 86_340_000_000),
            zone: "Europe/Istanbul")
        scenario.requirements = ["C-S3.9", "S-23"]
        scenario.weekStart = .sunday
        scenario.seed = 7
        scenario.observers = []
        scenario.followedViews = [.today]
        scenario.steps = [
            Step(.create("Milk, eggs", on: .tomorrow, in: nil)),
            Step(.create("yes", on: nil, in: .today)),
            Step(.create("none", on: nil, in: nil)),
            Step(.schedule("yes", on: .day("fri"), at: .before("none"))),
            Step(.carry(["yes", "none", "Milk, eggs"], to: .today)),
            Step(.together([.setState("yes", .completed), .reorder("none", to: .first)])),
            Step(.undo),
            Step(.undoNotice, refusal: "undo-expired"),
            Step(.jump(.days(-1), monotonic: true)),
            Step(.crash(.power, during: .delete("yes"), choice: 3)),
            Step(.elsewhere(.undo)),
            Step(
                .expect([
                    Expectation("today", .list([])),
                    Expectation("upcoming", .named(["2026-03-11": .texts(["Milk, eggs", "yes"])])),
                    Expectation("notice", .none),
                    Expectation("task", .named(["Milk, eggs": .named(["state": .text("notStarted"), "day": .none])])),
                ])),
        ]
        #expect(
            ScenarioWriter().text(of: scenario, comment: "Found by seed 7.\n\nShrunk.") == """
                # Found by seed 7.
                #
                # Shrunk.
                name: 'Tasks: a story'
                requirements: [C-S3.9, S-23]
                starts: 2026-03-10 23:59
                zone: Europe/Istanbul
                week starts: sunday
                seed: 7
                looked at from: []
                follows: [today]
                steps:
                  - create: Milk, eggs
                    on: tomorrow
                  - create: yes
                    in: today
                  - create: 'none'
                  - schedule: yes
                    on: fri
                    before: 'none'
                  - carry: [yes, 'none', 'Milk, eggs']
                    to: today
                  - together:
                      - complete: yes
                      - reorder: 'none'
                        first: yes
                  - undo
                  - undo notice:
                    refused: undo-expired
                  - jump: -1d
                    monotonic: yes
                  - crash: power
                    during: { delete: yes }
                    choice: 3
                  - elsewhere: undo
                  - expect:
                      today: []
                      upcoming: { 2026-03-11: ['Milk, eggs', yes] }
                      notice: none
                      task: { 'Milk, eggs': { state: notStarted, day: none } }

                """)
    }

    @Test("A trace formats each step in one line")
    func traces() {
        let writer = ScenarioWriter()
        #expect(writer.line(of: .undo) == "undo")
        #expect(writer.line(of: .setState("Milk, eggs", .active)) == "start: Milk, eggs")
        #expect(writer.line(of: .create("Milk", on: .today, in: nil)) == "{ create: Milk, on: today }")
        #expect(
            writer.line(of: .carry(["Why?", "a:?b", "C#"], to: .today)) == "{ carry: [Why?, 'a:?b', C#], to: today }")
        #expect(writer.line(of: .elsewhere(.delete("Milk"))) == "elsewhere: { delete: Milk }")
        #expect(writer.line(of: .together([.delete("A"), .purge("B")])) == "together: [{ delete: A }, { purge: B }]")
        #expect(
            writer.line(of: .crash(.process, during: .undo, choice: 0)) == "{ crash: process, during: undo }")
        #expect(
            writer.line(of: .expect([Expectation("today", .texts(["A"])), Expectation("notice", .none)]))
                == "expect: { today: [A], notice: none }")
    }
}
