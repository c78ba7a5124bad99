import Daybook
import Injection
import Records
import Simulation
import Testing

/// An application's own vocabulary and records.
@Suite struct VocabularyTests {
    /// The steps begin on line 5.
    private func play(_ steps: String, negativeControl: InjectionPoint? = nil) throws -> Story {
        let head = "name: Books\nstarts: 2026-03-10 23:30\nzone: Europe/Istanbul\nsteps:\n"
        var simulator = Simulator(vocabulary: .books)
        simulator.options.injectionPoint = ArmedInjectionPoints(negativeControl)
        return try simulator.play(try ScenarioReader(vocabulary: .books).read(head + steps, file: "books.yaml"))
    }

    @Test("Verbs and subjects of an application act on the store at the simulated time")
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

    @Test("A value that differs from the expectation is a failure in the line of its subject")
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

    @Test("An application's records survive a crash and closing the store")
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

    @Test("Changes of an application's records are undone in order among changes of tasks")
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

    @Test("Tasks are compared with the model until a verb changes tasks")
    func comparison() throws {
        let save = "- save: { title: Emma, pages: 474 }\n"
        let journey = "- create: A\n- travel: Pacific/Auckland\n"
        #expect(try play(save + journey).isGood)
        #expect(try !play(save + journey, negativeControl: .keepsZoneOfOpening).isGood)
        #expect(try play("- read on: chapter 3\n" + journey, negativeControl: .keepsZoneOfOpening).isGood)
    }

    @Test("A task created by a verb is named by its text")
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

    @Test("An error thrown by a verb or a subject is a failure in its line")
    func thrown() throws {
        let jam = "PaperJam()"
        #expect(
            try play("- undo:\n  refused: nothing-to-undo\n- print\n").failure
                == StoryFailure("print", expected: "no error", found: jam, line: 7))
        #expect(
            try play("- expect:\n    tasks: 0\n    paper: 3\n").failure
                == StoryFailure("paper", expected: "no error", found: jam, line: 7))
    }

    @Test("An application's error with a code must be expected as a refusal, and must occur if it is")
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

    @Test("An unusable value of a verb is a failure that names what is needed")
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

    @Test("Whole numbers are formatted without a fraction")
    func numbers() throws {
        #expect(ScenarioValue.number(18.0) == .text("18"))
        #expect(ScenarioValue.number(21.5) == .text("21.5"))
        #expect(try ScenarioValue.text("21.5").number(as: Double.self) == 21.5)
        #expect(throws: StoryFailure.self) { try ScenarioValue.text("21.5").number(as: Int.self) }
    }
}

/// A record of an application.
struct Book: Record {
    let id: UUID
    var title: String
    var pages: Int

    static let collection = RecordCollection<Book>("books") {}

    init(id: UUID, title: String, pages: Int) {
        self.id = id
        self.title = title
        self.pages = pages
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        title = try fields.string(1)
        pages = Int(try fields.int64(2))
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, title)
        fields.put(2, Int64(pages))
    }
}

/// A refusal and an unexpected error of an application.
enum BookError: String, Refusal {
    case tooLong = "too-long"
    var code: String { rawValue }
}

struct PaperJam: Error {}

extension Vocabulary {
    /// A vocabulary about books.
    static let books: Vocabulary = {
        var words = Vocabulary(records: Schema().adding(Book.collection))
        words.add(verb: "save") { value, daybook in
            let title = try value.text("title")
            let pages = try value.number("pages", as: Int.self)
            try await daybook.write { transaction in
                try transaction.put(Book(id: transaction.identifiers.next(), title: title, pages: pages))
                // A refused verb must not leave anything behind.
                if pages > 1_000 { throw BookError.tooLong }
            }
        }
        words.add(verb: "read on") { value, daybook in
            let text = try value.text()
            try await daybook.write { try $0.tasks.create(text, on: $0.context.today) }
        }
        words.add(verb: "print") { _, _ in throw PaperJam() }
        words.add(subject: "books") { _, daybook in
            .texts(try daybook.read { try $0[Book.self].page(after: nil, limit: 100) }.map(\.title).sorted())
        }
        words.add(subject: "paper") { _, _ in throw PaperJam() }
        words.add(subject: "day") { _, daybook in .text("\(daybook.context.today)") }
        return words
    }()
}
