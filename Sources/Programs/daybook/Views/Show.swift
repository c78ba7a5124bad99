import ArgumentParser
import CommandSupport
import Daybook

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show every field of one task, and what is below it.",
        discussion: """
            Examples:
              daybook show 3c2f
              daybook show 3c2f --json
            """)

    @Argument(help: .taskID)
    var id: String

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try checkID(id)
        let (shown, below) = try reading.session(options).readExisting { transaction in
            let task = try transaction.task(named: id)
            return (try transaction.shown(task), try transaction.shown(transaction.tasks.descendants(of: task.id)))
        }
        if options.json { return try Output.standard.json { $0.value(shown) } }
        let fields = try Self.fields(of: shown)
        let width = (fields.map(\.name.count).max() ?? 0) + 2
        try Output.standard.write(fields.map { "\("\($0.name):".padded(to: width))\($0.value)\n" }.joined())
        guard !below.isEmpty else { return }
        var table = TaskTable()
        table.rows(below)
        try Output.standard.write("\n" + table.text)
    }

    /// Reads the fields from the task's JSON, so that a new field is shown without a change here. Empty fields are left out.
    private static func fields(of shown: ShownTask) throws -> [(name: String, value: String)] {
        var writer = JSONWriter()
        writer.value(shown)
        let bytes = writer.bytes
        var fields: [(name: String, value: String)] = []
        var parser = JSONParser(bytes)
        try parser.beginObject()
        while let name = try parser.nextKey(isFirst: fields.isEmpty) {
            if parser.peek() == UInt8(ascii: "\"") {
                fields.append((name, VisibleText.of(try parser.string())))
            } else {
                let start = parser.position
                try parser.skipValue()
                fields.append((name, VisibleText.of(String(decoding: bytes[start..<parser.position], as: UTF8.self))))
            }
        }
        return fields.filter { $0.value != "null" }
    }
}
