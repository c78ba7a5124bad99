/// The peers that a child process can open.
enum PeerKind: String, CaseIterable {
    case daybook, grdb, sqlite, json

    var name: String {
        switch self {
        case .daybook: Contestants.daybook
        case .grdb: Contestants.grdb
        case .sqlite: Contestants.sqlite
        case .json: Contestants.json
        }
    }

    var type: any Peer.Type {
        switch self {
        case .daybook: DaybookPeer.self
        case .grdb: GRDBPeer.self
        case .sqlite: SQLitePeer.self
        case .json: JSONPeer.self
        }
    }

    var store: Dataset.RecordStore {
        switch self {
        case .daybook: .daybook
        case .grdb: .grdb
        case .sqlite: .sqlite
        case .json: .json
        }
    }
}
