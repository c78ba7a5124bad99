/// One way in which a page of a data file can go bad while nobody looks.
enum PageDamage: Hashable, Sendable {
    /// A bit is the other one.
    case flip(page: Int, byte: Int, bit: Int)
    /// Two pages stand in each other's place, as misdirected writes leave them.
    case swap(Int, Int)
    /// A page is as it was so many transactions ago: a write that never arrived.
    case old(page: Int, age: Int)
    /// A page is that of another store.
    case foreign(page: Int)
    case zeros(page: Int)

    /// `flip:12.331.4`: what a recipe says.
    var text: String {
        switch self {
        case .flip(let page, let byte, let bit): "flip:\(page).\(byte).\(bit)"
        case .swap(let first, let second): "swap:\(first).\(second)"
        case .old(let page, let age): "old:\(page).\(age)"
        case .foreign(let page): "foreign:\(page)"
        case .zeros(let page): "zeros:\(page)"
        }
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":")
        guard parts.count == 2 else { return nil }
        let words = parts[1].split(separator: ".")
        let numbers = words.compactMap { Int($0) }
        guard words.count == numbers.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        switch (parts[0], numbers.count) {
        case ("flip", 3) where numbers[1] < Page.size && numbers[2] < 8:
            self = .flip(page: numbers[0], byte: numbers[1], bit: numbers[2])
        case ("swap", 2): self = .swap(numbers[0], numbers[1])
        case ("old", 2): self = .old(page: numbers[0], age: numbers[1])
        case ("foreign", 1): self = .foreign(page: numbers[0])
        case ("zeros", 1): self = .zeros(page: numbers[0])
        default: return nil
        }
    }

    /// What the coverage table counts it under.
    var name: String {
        switch self {
        case .flip: "flipped bit"
        case .swap: "swapped pages"
        case .old: "old page"
        case .foreign: "foreign page"
        case .zeros: "zeros"
        }
    }

    /// The page by which it is counted.
    var page: Int {
        switch self {
        case .flip(let page, _, _), .old(let page, _), .foreign(let page), .zeros(let page), .swap(let page, _): page
        }
    }
}
