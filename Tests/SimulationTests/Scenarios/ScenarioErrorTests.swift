import Simulation
import Testing

@Suite struct ScenarioErrorTests {
    @Test(
        "An invalid file is rejected with its line and a hint", arguments: heads + steps + values
    )
    func refuses(bad: BadScenario) throws {
        let error = try #require(throws: SimulationError.self) {
            try ScenarioReader().read(bad.text, file: "bad.yaml")
        }
        guard case .scenario(let file, let line, let problem) = error else {
            Issue.record("Another error: \(error)")
            return
        }
        #expect(file == "bad.yaml")
        #expect(line == bad.line, "\(problem)")
        #expect(problem.contains(bad.piece), "\(problem)")
        #expect(problem.hasSuffix(".") || problem.hasSuffix("?"))
        #expect(!problem.contains("\n"))
    }

    private static let heads = [
        BadScenario(file: "empty", "", line: 1, "file is empty"),
        BadScenario(file: "only a comment", "# later\n", line: 1, "file is empty"),
        BadScenario(file: "a list", "- name: A\n", line: 1, "needs named values at its top"),
        BadScenario(file: "a sentence", "Tomorrow\n", line: 1, "found 'Tomorrow'"),
        BadScenario(file: "bad indentation", "name: A\n  zone: UTC\n", line: 2, "not YAML"),
        BadScenario(file: "an open bracket", goodHead + "steps: [\n", line: 5, "not YAML"),
        BadScenario(file: "a tab", goodHead + "steps:\n\t- undo\n", line: 5, "not YAML"),
        BadScenario(file: "a control character", goodHead + "seed: \u{1}\n", line: 4, "A character cannot be used"),
        BadScenario(
            file: "two documents", goodHead + "steps: []\n---\nname: B\n", line: 5, "A file holds one scenario"),
        BadScenario(file: "an alias to nothing", goodHead + "steps: *old\n", line: 4, "nothing has that anchor"),
        BadScenario(file: "a list as a key", "? [a, b]\n: c\n", line: 1, "A key is one word"),
        BadScenario(
            file: "a key twice", goodHead + "zone: UTC\nsteps: []\n", line: 3, "'zone' occurs twice"),
        BadScenario(file: "an unknown key", goodHead + "start: now\nsteps: []\n", line: 4, "did you mean 'starts'?"),
        BadScenario(
            file: "another spelling", goodHead + "weekStarts: monday\nsteps: []\n", line: 4,
            "did you mean 'week starts'?"),
        BadScenario(
            file: "a key from elsewhere", goodHead + "colour: red\nsteps: []\n", line: 4,
            "there may be name, requirements"),
        BadScenario(file: "no name", "zone: UTC\nstarts: 2026-03-10 00:00\nsteps: []\n", line: 1, "needs 'name'"),
        BadScenario(file: "no start", "name: A\nzone: UTC\nsteps: []\n", line: 1, "needs 'starts'"),
        BadScenario(file: "no zone", "name: A\nstarts: 2026-03-10 00:00\nsteps: []\n", line: 1, "needs 'zone'"),
        BadScenario(file: "no steps", goodHead, line: 1, "needs 'steps'"),
        BadScenario(
            file: "an empty name", "name:\nzone: UTC\n", line: 1, "'name' needs a sentence; found nothing"),
        BadScenario(
            file: "a start without its day", "name: A\nstarts: 23:59\nzone: UTC\nsteps: []\n", line: 2,
            "a moment with its day"),
        BadScenario(
            file: "a start that is no moment", "name: A\nstarts: 2026-02-30 12:00\nzone: UTC\nsteps: []\n", line: 2,
            "needs a moment: 2026-03-29 00:30"),
        BadScenario(
            file: "an unknown zone", "name: A\nstarts: 2026-03-10 00:00\nzone: Europe/Istambul\nsteps: []\n", line: 3,
            "did you mean Europe/Istanbul"),
        BadScenario(file: "no steps below steps", goodHead + "steps:\n", line: 4, "needs a list of steps"),
        BadScenario(file: "one step for many", goodHead + "steps: undo\n", line: 4, "needs a list of steps"),
        BadScenario(
            file: "one requirement for many", goodHead + "requirements: S-23\nsteps: []\n", line: 4, "a list such as"),
        BadScenario(
            file: "an unusual week", goodHead + "week starts: friday\nsteps: []\n", line: 4,
            "monday, sunday or saturday; found 'friday'"),
        BadScenario(file: "a seed that is no number", goodHead + "seed: -3\nsteps: []\n", line: 4, "a number from 0"),
        BadScenario(
            file: "an unknown looker", goodHead + "looked at from:\n  - UTC\n  - Mars\nsteps: []\n", line: 6, "'Mars'"),
        BadScenario(
            file: "an unknown view", goodHead + "follows: [today,\n  tomorrow]\nsteps: []\n", line: 5,
            "a view: inbox, today, upcoming, past"),
    ]

    private static let steps = [
        BadScenario(
            "an unknown verb", "- undo\n- creat: A", line: 2, "There is no step 'creat': did you mean 'create'?"),
        BadScenario("exchanged letters", "- udno", "did you mean 'undo'?"),
        BadScenario("a verb from elsewhere", "- dance: A", "a step is one of create, start"),
        BadScenario("no verb", "- undo\n- on: today", line: 2, "This step has no verb"),
        BadScenario("an empty step", "- undo\n-\n- redo", line: 2, "A step needs a verb"),
        BadScenario("a list for a step", "- [undo]", "found a list"),
        BadScenario("two verbs", "- create: A\n  complete: A", line: 2, "A step has one verb"),
        BadScenario("a key twice in a step", "- create: A\n  on: today\n  on: today", line: 2, "'on' occurs twice"),
        BadScenario("a misspelt companion", "- create: A\n  onn: today", line: 2, "did you mean 'on'?"),
        BadScenario(
            "a companion of others", "- create: A\n- complete: A\n  choice: 3", line: 3, "there may be refused"),
        BadScenario("a name that is nothing", "- create:", "'create' needs a task's name; found nothing"),
        BadScenario("a name that is a list", "- create: [A, B]", "found a list"),
        BadScenario("a name used twice", "- create: A\n- create: A", line: 2, "already, from line 5"),
        BadScenario("an unknown task", "- complete: A", "There is no task 'A' so far"),
        BadScenario("a misspelt task", "- create: Water it\n- complete: Watr it", line: 2, "did you mean 'Water it'?"),
        BadScenario("a task too early", "- delete: A\n- create: A", "There is no task 'A' so far"),
        BadScenario(
            "a task that is refused", "- create: A\n  refused: empty-text\n- start: A", line: 3,
            "creating it is refused in line 5"),
        BadScenario(
            "a task of a refused transaction",
            "- together:\n    - create: A\n  refused: storage-full\n- start: A", line: 4, "is refused in line 6"),
        BadScenario("a day and a view", "- create: A\n  on: today\n  in: past", line: 3, "not both"),
        BadScenario("a day that is none", "- create: A\n  on: someday", line: 2, "needs a day: today, tomorrow, inbox"),
        BadScenario("a day that no calendar has", "- create: A\n  on: 2026-02-30", line: 2, "not in the calendar"),
        BadScenario("a view that is none", "- create: A\n  in: Today", line: 2, "a view: inbox"),
        BadScenario("schedule without a day", "- create: A\n- schedule: A", line: 2, "needs 'on' beside it"),
        BadScenario("reorder without a place", "- create: A\n- reorder: A", line: 2, "needs a place"),
        BadScenario("two places", "- create: A\n- reorder: A\n  first: yes\n  index: 2", line: 4, "one place"),
        BadScenario("not first", "- create: A\n- reorder: A\n  first: no", line: 3, "either yes or left out"),
        BadScenario("a vague first", "- create: A\n- reorder: A\n  first: really", line: 3, "yes or no"),
        BadScenario("an index below 0", "- create: A\n- reorder: A\n  index: -1", line: 3, "a number from 0"),
        BadScenario("beside no task", "- create: A\n- reorder: A\n  before: B", line: 3, "There is no task 'B'"),
        BadScenario("carry one name", "- create: A\n- carry: A\n  to: today", line: 2, "a list of names"),
        BadScenario("carry an unknown one", "- create: A\n- carry: [A, B]\n  to: today", line: 2, "no task 'B'"),
        BadScenario("carry nowhere", "- create: A\n- carry: [A]", line: 2, "needs 'to' beside it"),
        BadScenario("edit without a text", "- create: A\n- edit: A", line: 2, "needs 'text' beside it"),
        BadScenario("remind without a moment", "- create: A\n- remind: A", line: 2, "needs 'at' beside it"),
        BadScenario("remind at a bad moment", "- create: A\n- remind: A\n  at: 24:00", line: 3, "a moment: 2026-03-29"),
        BadScenario("a misspelt verb of lists", "- ad list: Home", "did you mean 'add list'?"),
        BadScenario("an unknown list", "- create: A\n- move: A\n  to: Home", line: 3, "There is no list 'Home' so far"),
        BadScenario(
            "a misspelt list", "- add list: Home\n- delete list: Hoem", line: 2, "did you mean 'Home'?"),
        BadScenario("a list of no name", "- add list: unlisted", "needs a list's name; found 'unlisted'"),
        BadScenario("block by nothing", "- create: A\n- block: A", line: 2, "needs 'by' beside it: a task's name"),
        BadScenario("block by an unknown task", "- create: A\n- block: A\n  by: B", line: 3, "There is no task 'B'"),
        BadScenario("an unknown region", "- create: A\n- place: A\n  region: noon", line: 3, "one of morning"),
        BadScenario("due at no time", "- create: A\n- due: A\n  at: someday", line: 3, "That is not"),
        BadScenario("repeat by no rule", "- create: A\n- repeat: A\n  by: now and then", line: 3, "That is not"),
        BadScenario("an occurrence of none", "- create: A\n- complete: A 2", line: 2, "There is no task 'A 2'"),
        BadScenario("a rollover of something", "- create: A\n- rollover: A", line: 2, "'rollover' takes no value"),
        BadScenario(
            "a misspelt companion of a table", "- create: A\n- place: A\n  regoin: morning", line: 3,
            "did you mean 'region'?"),
        BadScenario("no place in a list", "- create: A\n- reorder in list: A", line: 2, "needs a place"),
        BadScenario(
            "a delivery in a transaction", "- together: [deliver reminders]", "cannot be within 'together'"),
        BadScenario("together one step", "- together: { create: A }", "a list of steps"),
        BadScenario(
            "together with time", "- together:\n    - create: A\n    - advance: 1m", line: 3, "cannot be within"),
        BadScenario("together with undo", "- together: [undo]", "'undo' cannot be within 'together'"),
        BadScenario(
            "a refusal within", "- together:\n    - create: A\n      refused: empty-text", line: 3, "not within it"),
        BadScenario("a refusal without a code", "- undo:\n  refused:", line: 2, "the code of an error"),
        BadScenario(
            "an expectation that is refused", "- expect: { tasks: 0 }\n  refused: x", line: 2, "cannot be refused"),
        BadScenario("undo with a value", "- undo: yes", "'undo' takes no value"),
        BadScenario("advance by nothing", "- advance", "needs a duration: 3d, 1h 30m"),
        BadScenario("advance by a bare number", "- advance: 3", "found '3'"),
        BadScenario("advance backwards", "- advance: -1d", "only goes forward"),
        BadScenario("advance to a day", "- advance to: 2026-03-11", "a moment: 2026-03-29 00:30"),
        BadScenario("a vague clock", "- jump: 1d\n  monotonic: perhaps", line: 2, "yes or no"),
        BadScenario("travel nowhere", "- travel: Berlin/Europe", "There is no time zone"),
        BadScenario("another crash", "- crash: disk", "crash: process or crash: power"),
        BadScenario("a crash in a crash", "- crash: power\n  during: { crash: power }", line: 2, "cannot be within"),
        BadScenario("a choice that is no number", "- crash: power\n  choice: any", line: 2, "a number from 0"),
        BadScenario("a fault without a count", "- fault: busy", "needs 'writes' beside it"),
        BadScenario("no writes", "- fault: busy\n  writes: 0", line: 2, "a number from 1"),
        BadScenario("elsewhere nothing", "- elsewhere:", "A step needs a verb"),
    ]

    private static let values = [
        BadScenario("expect nothing", "- expect:", "needs expected values"),
        BadScenario("expect a word", "- expect: today", "found 'today'"),
        BadScenario("an unknown subject", "- expect:\n    todya: []", line: 2, "did you mean 'today'?"),
        BadScenario("a subject from elsewhere", "- expect: { weather: good }", "what can be expected is inbox"),
        BadScenario("a subject twice", "- expect:\n    today: []\n    today: []", line: 2, "occurs twice"),
        BadScenario("a name for a view", "- create: A\n- expect:\n    today: A", line: 3, "a list of names: [A, B]"),
        BadScenario(
            "a misspelt name", "- create: Bread\n- expect:\n    today:\n      - Braed", line: 4, "mean 'Bread'?"),
        BadScenario("an item that is nothing", "- expect:\n    today: [~, '']", line: 2, "There is no task '~'"),
        BadScenario("a number that is none", "- expect: { tasks: many }", "'tasks' needs a number"),
        BadScenario("a day without its month", "- expect: { days of: { 2026-13: {} } }", "'2026-13' is not a month"),
        BadScenario("upcoming as a list", "- expect: { upcoming: [A] }", "where KEY is a day"),
        BadScenario("upcoming by a word", "- expect: { upcoming: { tomorrow: [] } }", "'tomorrow' is not a day"),
        BadScenario("a date that is none", "- expect: { date: today }", "'today' is not a day"),
        BadScenario("a clock without its day", "- expect: { clock: 08:00 }", "a local time such as"),
        BadScenario(
            "an unknown statistic", "- expect:\n    statistics:\n      mont: 1", line: 3, "did you mean 'month'?"),
        BadScenario("a trend that is none", "- expect: { statistics: { trend: sideways } }", "one of up, down, same"),
        BadScenario("statistics of no zone", "- expect: { statistics in: { Narnia: { today: 1 } } }", "'Narnia'"),
        BadScenario("statistics of no kind", "- expect: { statistics: 3 }", "named values: some of today, week"),
        BadScenario(
            "no field of a task", "- create: A\n- expect: { task: { A: { dya: none } } }", line: 2, "mean 'day'?"),
        BadScenario(
            "no state", "- create: A\n- expect: { task: { A: { state: done } } }", line: 2, "one of notStarted"),
        BadScenario(
            "a local time for an instant", "- create: A\n- expect: { task: { A: { created: 2026-03-10 12:00 } } }",
            line: 2,
            "not a moment in time"),
        BadScenario("reported by no view", "- expect: { told: { tomorrow: [] } }", "a view: inbox"),
        BadScenario("a list for a notice", "- expect: { notice: [] }", "a text, or none; found a list"),
        BadScenario("gone but never there", "- expect: { gone: [A] }", "There is no task 'A'"),
    ]

    @Test("Messages shorten long words and replace unprintable characters")
    func cleans() {
        let word = "bell \u{7}" + String(repeating: "x", count: 100)
        let text = goodHead + "steps:\n  - \"bell \\a" + String(repeating: "x", count: 100) + "\"\n"
        #expect(throws: SimulationError.self) { try ScenarioReader().read(text, file: "a") }
        do {
            _ = try ScenarioReader().read(text, file: "a")
        } catch {
            #expect(error.description.contains("'bell ?xxx"))
            #expect(error.description.contains("xxx...'"))
            #expect(!error.description.contains(word))
        }
    }

    @Test("Deeply nested brackets are rejected without overflowing the stack")
    func deepBrackets() {
        for depth in [900, 50_000] {
            let brackets = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(throws: SimulationError.self) {
                try ScenarioReader().read(goodHead + "steps: \(brackets)\n", file: "deep.yaml")
            }
        }
    }

    @Test("A missing file is a file error, and one that is not text names the line")
    func files() throws {
        #expect(throws: SimulationError.file(operation: "read", path: "/nowhere/a.yaml", code: 2)) {
            try ScenarioReader().read(file: "/nowhere/a.yaml")
        }
        #expect(throws: SimulationError.file(operation: "read", path: "/", code: 21)) {
            try ScenarioReader().read(file: "/")
        }
        let file = try TemporaryFile(bytes: Array("name: A\nzone: ".utf8) + [0xFF, 0x0A])
        #expect {
            try ScenarioReader().read(file: file.path)
        } throws: {
            guard case SimulationError.scenario(file.path, line: 2, let problem) = $0 else { return false }
            return problem.contains("not UTF-8")
        }
    }
}
