import ArgumentParser
import CommandSupport
import Daybook

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show sizes, counts and versions of the store.",
        discussion: """
            Examples:
              daybook info
              daybook info --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let read = try session.withReader { daybook in
            let states = try daybook.read { transaction in
                try TaskState.allCases.map { ($0.name, try transaction.tasks.count(in: $0)) }
            }
            return (try daybook.information(), states)
        }
        guard let (information, states) = read else { throw CommandError.noStore(path: session.path) }
        let facts = StoreFacts(path: session.path, information: information, states: states)
        if options.json { return try Output.standard.json { facts.write(to: &$0) } }
        try Output.standard.write(facts.text)
    }
}

/// The facts that `info` prints as text or JSON.
private struct StoreFacts {
    private enum Value {
        case text(String)
        case number(Int)
    }

    private let path: String
    private let facts: [(name: String, value: Value)]
    private let states: [(String, Int)]
    private let consumers: [ChangeConsumer.Status]
    private let tables: [StoreInformation.TableSize]

    init(path: String, information: StoreInformation, states: [(String, Int)]) {
        self.path = path
        self.states = states
        consumers = information.consumers
        tables = information.tables
        let environment = information.environment
        facts = [
            ("store", .text(path)),
            ("formatVersion", .number(information.formatVersion)),
            ("schemaVersion", .number(information.schemaVersion)),
            ("createdAt", .text(information.createdAt)),
            ("libraryVersion", .text(information.libraryVersion)),
            ("engineVersion", .text(information.engineVersion)),
            ("zoneDataVersion", .text(Zone.dataVersion ?? "unknown")),
            ("durability", .text("synced")),
            ("commits", .text(information.commits.mode.rawValue)),
            ("commitsSinceCheckpoint", .number(information.commits.sinceCheckpoint)),
            ("commitLogBytes", .number(information.commits.logBytes)),
            ("tasks", .number(states.reduce(0) { $0 + $1.1 })),
            ("setAside", .number(information.quarantined)),
            ("firstSequence", .number(Int(clamping: information.firstSequence))),
            ("lastSequence", .number(Int(clamping: information.lastSequence))),
            ("mapSize", .number(environment.mapSize)),
            ("usedBytes", .number(environment.usedBytes)),
            ("pageSize", .number(environment.pageSize)),
            ("readersInUse", .number(environment.readersInUse)),
            ("readerSlots", .number(environment.readerSlots)),
        ]
    }

    var text: String {
        let lines = facts.map { fact in
            switch fact.value {
            case .text(let text): (fact.name, VisibleText.of(text))
            case .number(let number): (fact.name, "\(number)")
            }
        }
        let counts = states.map { ("tasks.\($0)", "\($1)") }
        let sizes = tables.map { ("table.\($0.name)", "\($0.entries) entries, \($0.bytes) bytes") }
        let readers = consumers.map { ("consumer.\(VisibleText.of($0.name))", Self.text(of: $0)) }
        let all = lines + counts + readers + sizes
        let width = (all.map(\.0.count).max() ?? 0) + 2
        return all.map { "\("\($0):".padded(to: width))\($1)\n" }.joined()
    }

    private static func text(of consumer: ChangeConsumer.Status) -> String {
        let changes = consumer.changesBehind == 1 ? "change" : "changes"
        let missed = consumer.hasMissedChanges ? ", some of them trimmed" : ""
        return "position \(consumer.position), \(consumer.changesBehind) \(changes) behind\(missed), "
            + "last moved \(consumer.movedAt)"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for fact in facts {
                switch fact.value {
                case .text(let text): writer.field(fact.name, text)
                case .number(let number): writer.field(fact.name, number)
                }
            }
            writer.object("tasksByState") { writer in
                for (state, count) in states { writer.field(state, count) }
            }
            writer.array("consumers") { writer in
                for consumer in consumers {
                    writer.object { writer in
                        writer.field("name", consumer.name)
                        writer.field("position", Int(clamping: consumer.position))
                        writer.field("changesBehind", Int(clamping: consumer.changesBehind))
                        writer.field("hasMissedChanges", consumer.hasMissedChanges)
                        writer.field("movedAt", consumer.movedAt.description)
                    }
                }
            }
            writer.array("tables") { writer in
                for table in tables {
                    writer.object { writer in
                        writer.field("name", table.name)
                        writer.field("entries", table.entries)
                        writer.field("bytes", table.bytes)
                    }
                }
            }
        }
    }
}
