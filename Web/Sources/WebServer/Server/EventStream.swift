import FlyingFox
import FlyingSocks
import FoundationEssentials
import Synchronization

/// The server-sent events of one page, as the body of an answer that does not end.
struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    let events: AsyncStream<Data>
    /// Told when nobody reads any more.
    let ending: Ending

    func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), ending: ending) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var events: AsyncStream<Data>.Iterator
        let ending: Ending

        mutating func nextBuffer(suggested count: Int) async throws -> Data? { await events.next(isolation: nil) }

        mutating func next() async throws -> UInt8? { nil }
    }

    /// Calls back when it is released: with the connection that it is a part of.
    final class Ending: Sendable {
        private let then: @Sendable () -> Void

        init(_ then: @escaping @Sendable () -> Void) { self.then = then }

        deinit { then() }
    }

    /// One event.
    static func event(_ kind: String, _ json: Data) -> Data {
        var event = Data("event: \(kind)\ndata: ".utf8)
        // JSON of `JSONEncoder` without formatting is one line.
        event.append(json)
        event.append(contentsOf: "\n\n".utf8)
        return event
    }

    /// What shows a connection that nobody reads any more, and keeps one that nothing happens on.
    static let heartbeat = Data(": still here\n\n".utf8)
}
