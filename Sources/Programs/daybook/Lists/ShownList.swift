import ArgumentParser
import CommandSupport
import Daybook

extension ArgumentHelp {
    /// The help of a list.
    static var list: ArgumentHelp {
        ArgumentHelp("The list's id or name, or the beginning of one name.", valueName: "list")
    }

    /// The help of a color.
    static var color: ArgumentHelp {
        ArgumentHelp("The color: six hexadecimal digits such as FF6B6B.", valueName: "hex")
    }
}

/// A list with the facts that only the transaction that read it can provide.
struct ShownList: Sendable, JSONWritable {
    let list: CustomList
    /// Its position among the lists, from 0.
    let sortOrder: Int
    let open: Int

    /// The name as people see it.
    var name: String { VisibleText.of(list.name) }
    var nameColumns: Int { name.columns }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", list.id)
            writer.field("name", list.name)
            writer.field("color", list.color)
            writer.field("sortOrder", sortOrder)
            writer.field("open", open)
        }
    }

    static func all(_ lists: [ListSummary]) -> [ShownList] {
        lists.enumerated().map { ShownList(list: $1.list, sortOrder: $0, open: $1.open) }
    }
}

extension ReadTransaction {
    /// Returns one list.
    func shown(_ list: CustomList) throws -> ShownList {
        try ShownList.all(tasks.lists().lists).first { $0.list.id == list.id }
            ?? ShownList(list: list, sortOrder: 0, open: 0)
    }

    /// Returns the list that a text names.
    ///
    /// - Throws: a usage error that lists the candidates with their names when the text fits several.
    func list(named text: String) throws -> CustomList {
        do {
            return try tasks.findList(text)
        } catch TaskError.ambiguousList(let candidates) {
            let lists = try tasks.lists().lists.map(\.list)
            let lines = candidates.prefix(10).map { id in
                "\(id)  \(lists.first { $0.id.lowercased == id }.map { VisibleText.of($0.name) } ?? "")"
            }
            throw CommandError.ambiguous(
                "The name fits \(candidates.count) lists. Give more of it, or one of these ids:", candidates: lines)
        }
    }
}

extension Session {
    /// Reads like `read`; where there is no store, there is no list either.
    func readLists<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        guard let result = try read(body) else { throw TaskError.noSuchList }
        return result
    }
}

extension GlobalOptions {
    /// Changes a list and prints it as it is afterwards with `--json`, else a line such as "Renamed Home".
    func change(
        _ name: String, _ verb: String, _ body: (TaskList, UUID) async throws -> CustomList
    ) async throws {
        do {
            let shown = try await session().write { daybook in
                let found = try daybook.read { try $0.list(named: name) }
                let list = try await body(daybook.tasks, found.id)
                return try daybook.read { try $0.shown(list) }
            }
            try report(shown) { "\(verb) \($0.name)" }
        } catch RecordsError.engine(.storeNotFound) {
            throw TaskError.noSuchList
        }
    }

    /// Prints a list: as JSON, or as a line.
    func report(_ shown: ShownList, _ line: (ShownList) -> String) throws {
        guard json else { return try Output.standard.write(line(shown) + "\n") }
        try Output.standard.json { $0.value(shown) }
    }
}
