import Daybook
import Injection
import Records
import Simulation
import Testing

/// Words of a program's own, with records of its own.
@Suite struct VocabularyTests {
    /// The steps begin in line 5.
    private func play(_ steps: String, sabotage: InjectionPoint? = nil) throws -> Story {
        let head = "name: Books\nstarts: 2026-03-10 23:30\nzone: Europe/Istanbul\nsteps:\n"
        var simulator = Simulator(vocabulary: .books)
        simulator.options.injectionPoint = ArmedInjectionPoints(sabotage)
        return try simulator.play(try ScenarioReader(vocabulary: .books).read(head + steps, file: "books.yaml"))
    }

    @Test("Verbs change the store, subjects look at it, at the story's time")
    func called() throws {
        let story = try play(
            """
            - save: { title: Emma, pages: 474 }
            - expect: { books: [Emma], day: 2026-03-10, tasks: 0 }
            - advance: 30m
            - save: { title: Ulysses, pages: 730 }
            - expect: { books: [Emma, Ulysses], day: 2026-03-11 }
            """)
        #expect(story.isGood)
        #expect(story.events.count == 5)
    }

    @Test("What is not found as expected is a failure, in the line of its subject")
    func notFound() throws {
        let story = try play(
            """
            - save: { title: Emma, pages: 474 }
            - expect:
                day: 2026-03-10
                books: [Persuasion]
            """)
        #expect(story.failure == StoryFailure("books", expected: "[Persuasion]", found: "[Emma]", line: 8))
    }

    @Test("Records of the program's own are there after a crash, and after the store was closed")
    func crash() throws {
        let story = try play(
            """
            - save: { title: Emma, pages: 474 }
            - crash: process
            - expect: { books: [Emma] }
            - save: { title: Ulysses, pages: 730 }
            - close
            - open
            - expect: { books: [Emma, Ulysses] }
            """)
        #expect(story.isGood)
    }

    @Test("They can be taken back, in their place among the changes of tasks")
    func undo() throws {
        let story = try play(
            """
            - create: A
            - save: { title: Emma, pages: 474 }
            - create: B
            - undo
            - undo
            - expect: { books: [], tasks: 1, changes: [create, several, create, undo of create, undo of several] }
            - redo
            - expect: { books: [Emma], inbox: [A] }
            - undo
            - undo
            - undo:
              refused: nothing-to-undo
            """)
        #expect(story.isGood)
    }

    @Test("Tasks are still compared with the model after a verb that does not touch them; after one that does, no more")
    func comparison() throws {
        let save = "- save: { title: Emma, pages: 474 }\n"
        let journey = "- create: A\n- travel: Pacific/Auckland\n"
        #expect(try play(save + journey).isGood)
        #expect(try !play(save + journey, sabotage: .keepsZoneOfOpening).isGood)
        #expect(try play("- read on: chapter 3\n" + journey, sabotage: .keepsZoneOfOpening).isGood)
    }

    @Test("A task that a verb creates is known by its text")
    func tasks() throws {
        let story = try play(
            """
            - read on: chapter 3
            - expect: { today: [chapter 3] }
            - complete: chapter 3
            - expect:
                completed today: 1
                task: { chapter 3: { state: completed } }
                told: { today: [inserted chapter 3 at 0, updated chapter 3 at 0] }
            - crash: process
            - undo
            - expect: { completed today: 0 }
            """)
        #expect(story.isGood)
        #expect(story.events.last?.views[1].map(\.name) == ["chapter 3"])
    }

    @Test("What a verb or a subject throws is a failure, in its line")
    func thrown() throws {
        let jam = "PaperJam()"
        #expect(
            try play("- undo:\n  refused: nothing-to-undo\n- print\n").failure
                == StoryFailure("print", expected: "no error", found: jam, line: 7))
        #expect(
            try play("- expect:\n    tasks: 0\n    paper: 3\n").failure
                == StoryFailure("paper", expected: "no error", found: jam, line: 7))
    }

    @Test("An error with a code is a refusal, that of a program's own too: it has to be asked for, and to come")
    func refused() throws {
        let long = "{ title: Clarissa, pages: 1534 }"
        #expect(try play("- save: \(long)\n  refused: too-long\n- expect: { books: [] }\n").isGood)
        #expect(
            try play("- save: \(long)\n").failure
                == StoryFailure("the step", expected: "no refusal", found: "refused: too-long", line: 5))
        #expect(
            try play("- save: { title: Emma, pages: 474 }\n  refused: too-long\n").failure
                == StoryFailure("the step", expected: "refused: too-long", found: "no refusal", line: 5))
    }

    @Test("A value that a verb cannot use is a failure that says what it needs")
    func unusable() throws {
        #expect(
            try play("- save: { title: Emma, pages: many }\n").failure
                == StoryFailure("pages", expected: "a number", found: "many", line: 5))
        #expect(
            try play("- save: { pages: 3 }\n").failure
                == StoryFailure("title", expected: "a text", found: "none", line: 5))
    }

    @Test("A verb of the vocabulary needs an open store")
    func closed() throws {
        #expect(try play("- close\n- print\n").failure?.subject == "what can be")
    }

    @Test("Whole numbers are written without a fraction, others as they are")
    func numbers() throws {
        #expect(ScenarioValue.number(18.0) == .text("18"))
        #expect(ScenarioValue.number(21.5) == .text("21.5"))
        #expect(try ScenarioValue.text("21.5").number(as: Double.self) == 21.5)
        #expect(throws: StoryFailure.self) { try ScenarioValue.text("21.5").number(as: Int.self) }
    }
}
