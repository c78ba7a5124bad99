/// The modules of a QR code: patterns, codewords, one of eight masks.
struct QRMatrix {
    /// True is dark.
    private(set) var rows: [[Bool]]
    /// Which modules belong to a pattern, and are not masked.
    private var isPattern: [[Bool]]
    private let size: Int

    init(_ version: QRVersion, codewords: [UInt8], mask: Int) {
        size = version.size
        rows = Array(repeating: Array(repeating: false, count: size), count: size)
        isPattern = rows
        drawFinders()
        drawAlignments(version.alignments)
        for index in 8..<(size - 8) {
            draw(6, index, index % 2 == 0)
            draw(index, 6, index % 2 == 0)
        }
        drawFormat(mask)
        if version.number >= 7 { drawVersion(version.number) }
        drawCodewords(codewords)
        apply(mask)
    }

    // MARK: Patterns

    private mutating func draw(_ row: Int, _ column: Int, _ isDark: Bool) {
        rows[row][column] = isDark
        isPattern[row][column] = true
    }

    /// The three corners, with the light lines around them.
    private mutating func drawFinders() {
        for (centerRow, centerColumn) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            for row in max(0, centerRow - 4)...min(size - 1, centerRow + 4) {
                for column in max(0, centerColumn - 4)...min(size - 1, centerColumn + 4) {
                    let distance = max(abs(row - centerRow), abs(column - centerColumn))
                    draw(row, column, distance != 2 && distance != 4)
                }
            }
        }
    }

    private mutating func drawAlignments(_ centers: [Int]) {
        guard let last = centers.last else { return }
        for centerRow in centers {
            for centerColumn in centers
            where ![(6, 6), (6, last), (last, 6)].contains(where: { $0 == (centerRow, centerColumn) }) {
                for row in (centerRow - 2)...(centerRow + 2) {
                    for column in (centerColumn - 2)...(centerColumn + 2) {
                        draw(row, column, max(abs(row - centerRow), abs(column - centerColumn)) != 1)
                    }
                }
            }
        }
    }

    /// The level of error correction (L is 1) and the mask, twice.
    private mutating func drawFormat(_ mask: Int) {
        let bits = Self.withCheckBits(1 << 3 | mask, count: 10, polynomial: 0x537) ^ 0x5412
        let isDark = (0..<15).map { bits >> $0 & 1 == 1 }
        for index in 0...5 { draw(index, 8, isDark[index]) }
        draw(7, 8, isDark[6])
        draw(8, 8, isDark[7])
        draw(8, 7, isDark[8])
        for index in 9..<15 { draw(8, 14 - index, isDark[index]) }
        for index in 0..<8 { draw(8, size - 1 - index, isDark[index]) }
        for index in 8..<15 { draw(size - 15 + index, 8, isDark[index]) }
        draw(size - 8, 8, true)
    }

    private mutating func drawVersion(_ number: Int) {
        let bits = Self.withCheckBits(number, count: 12, polynomial: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let (far, near) = (size - 11 + index % 3, index / 3)
            draw(far, near, isDark)
            draw(near, far, isDark)
        }
    }

    /// A value and, below it, the remainder of its division.
    private static func withCheckBits(_ value: Int, count: Int, polynomial: Int) -> Int {
        var remainder = value
        for _ in 0..<count { remainder = remainder << 1 ^ (remainder >> (count - 1) & 1) * polynomial }
        return value << count | remainder
    }

    // MARK: Data

    /// From the lower right corner, in columns of two that go up and down.
    private mutating func drawCodewords(_ codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
        var right = size - 1
        while right >= 1 {
            // The column of the timing pattern is left out.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row][column] && bit < codewords.count * 8 {
                    rows[row][column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            isUpward.toggle()
            right -= 2
        }
    }

    private mutating func apply(_ mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isPattern[row][column] && Self.inverts(mask, row, column) {
                rows[row][column].toggle()
            }
        }
    }

    private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    // MARK: Choice of the mask

    /// How much the code looks like what a reader stumbles over: long runs, squares, false corners, too much of one
    /// color.
    var penalty: Int {
        let columns = (0..<size).map { column in rows.map { $0[column] } }
        let lines = rows + columns
        let dark = rows.reduce(0) { $0 + $1.count { $0 } }
        let share = abs(dark * 20 - size * size * 10)
        return lines.reduce(0) { $0 + Self.runPenalty($1) + Self.cornerPenalty($1) } + squarePenalty
            + share / (size * size) * 10
    }

    private static func runPenalty(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    private static let corner = [true, false, true, true, true, false, true]

    /// A pattern of a corner with four light modules on one side.
    private static func cornerPenalty(_ line: [Bool]) -> Int {
        let light = Array(repeating: false, count: 4)
        let line = light + line + light
        return (4..<(line.count - 10)).count { start in
            line[start..<(start + 7)].elementsEqual(corner)
                && (!line[(start - 4)..<start].contains(true) || !line[(start + 7)..<(start + 11)].contains(true))
        } * 40
    }

    private var squarePenalty: Int {
        (1..<size).reduce(0) { sum, row in
            sum
                + (1..<size).count { column in
                    let color = rows[row][column]
                    return rows[row - 1][column] == color && rows[row][column - 1] == color
                        && rows[row - 1][column - 1] == color
                } * 3
        }
    }
}
