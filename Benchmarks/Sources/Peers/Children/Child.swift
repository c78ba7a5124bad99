import Daybook

/// The work of this program as a child of itself.
enum Child {
    static func run(_ arguments: [String]) throws {
        switch arguments.first {
        case "today":
            let (peer, _) = try open(arguments)
            guard try peer.today() == Moments.plannedTasks else { throw PeerFailure("another Today") }
            try peer.close()
        case "memory":
            let (peer, path) = try open(arguments)
            print(try MemoryUse.text(of: peer, creates: peer is JSONPeer ? 50 : 1000, in: path))
        default: break
        }
    }

    private static func open(_ arguments: [String]) throws -> (any Peer, String) {
        guard arguments.count == 3, let kind = PeerKind(rawValue: arguments[1]) else {
            throw PeerFailure("unknown child \(arguments)")
        }
        return (try kind.type.init(folder: arguments[2], now: Moments.planned), arguments[2])
    }
}
