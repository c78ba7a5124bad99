import Daybook
import Simulation

/// A record of a program's own.
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

/// What a program with books refuses, and what it does not expect.
enum BookError: String, Refusal {
    case tooLong = "too-long"
    var code: String { rawValue }
}

struct PaperJam: Error {}

extension Vocabulary {
    /// Words about books.
    static let books: Vocabulary = {
        var words = Vocabulary(records: Schema().adding(Book.collection))
        words.add(verb: "save") { value, daybook in
            let title = try value.text("title")
            let pages = try value.number("pages", as: Int.self)
            try await daybook.write { transaction in
                try transaction.put(Book(id: transaction.identifiers.next(), title: title, pages: pages))
                // What is refused has to leave nothing behind.
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
