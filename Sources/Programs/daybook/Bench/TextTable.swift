/// Columns of text: the first at the left, the others at the right.
struct TextTable {
    private let header: [String]
    private var rows: [(cells: [String], look: Terminal.Look)] = []

    init(_ header: String...) {
        self.init(header)
    }

    init(_ header: [String]) {
        self.header = header
    }

    mutating func add(_ cells: [String], _ look: Terminal.Look = .plain) {
        rows.append((cells, look))
    }

    /// The lines; columns in which no row has anything are left out.
    func text(for terminal: Terminal) -> String {
        let columns = header.indices.filter { column in column == 0 || rows.contains { !$0.cells[column].isEmpty } }
        let widths = columns.map { column in
            ([header] + rows.map(\.cells)).map { $0[column].columns }.max() ?? 0
        }
        return ([(header, .bold)] + rows).map { cells, look in
            let line = zip(columns, widths).map { column, width in
                let cell = cells[column]
                let blanks = String(repeating: " ", count: max(width - cell.columns, 0))
                return column == 0 ? cell + blanks : blanks + cell
            }
            return terminal.styled(Self.withoutEnd(line.joined(separator: "  ")), look) + "\n"
        }.joined()
    }

    private static func withoutEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
