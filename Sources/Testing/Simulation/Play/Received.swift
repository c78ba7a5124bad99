import Threading

/// What a task has received and nobody has looked at yet.
final class Received<Element: Sendable>: Sendable {
    private let elements = ForkSafeMutex<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var count: Int { elements.withLock { $0.count } }

    /// All of them; none is left.
    func take() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }

    /// All of them; they stay.
    var all: [Element] { elements.withLock { $0 } }

    /// The first of them; the others stay.
    func take(_ count: Int) -> [Element] {
        elements.withLock { elements in
            defer { elements.removeFirst(min(count, elements.count)) }
            return Array(elements.prefix(count))
        }
    }

    var last: Element? { elements.withLock { $0.last } }
}
