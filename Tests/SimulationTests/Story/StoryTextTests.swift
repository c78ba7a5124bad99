import Simulation
import Testing

@Suite struct StoryTextTests {
    private func play(_ steps: String) throws -> Story {
        let head = "name: In words\nstarts: 2026-03-10 23:30\nzone: Europe/Istanbul\nsteps:\n"
        return try Simulator().play(try ScenarioReader().read(head + steps, file: "words.yaml"))
    }

    @Test("A failed story says its file and line, the steps so far, what was expected and what was found")
    func failed() throws {
        let story = try play("- create: A\n- advance: 1h\n- expect:\n    inbox: [A, A]\n- undo\n")
        #expect(
            story.description == """
                words.yaml:8: inbox
                  the story so far:
                    1  2026-03-10 23:30 Europe/Istanbul  create: A
                    2  2026-03-11 00:30 Europe/Istanbul  advance: 1h
                    3  2026-03-11 00:30 Europe/Istanbul  expect: { inbox: [A, A] }  -> failed
                  expected:
                    [A, A]
                  found:
                    [A]
                """)
    }

    @Test("Of a long story the last twelve steps are shown")
    func long() throws {
        let story = try play(String(repeating: "- advance: 1m\n", count: 20) + "- expect: { tasks: 1 }\n")
        #expect(story.excerpt.first == "its last 12 steps:")
        #expect(story.excerpt[1] == "  10  2026-03-10 23:40 Europe/Istanbul  advance: 1m")
        #expect(story.excerpt.count == 1 + 12 + 4)
    }

    @Test("A good story says so in one line")
    func good() throws {
        #expect("\(try play("- create: A\n"))" == "words.yaml: In words: everything was as it has to be")
    }
}
