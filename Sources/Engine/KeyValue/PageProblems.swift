/// What is wrong with LMDB's own pages, one line each.
public struct PageProblems: Equatable, Sendable {
    /// Where it is not sure whose a page is: to free pages, as every write does, would make it worse.
    public private(set) var ofOwnership: [String] = []
    /// Inside a table: gone once that is written anew.
    public private(set) var local: [String] = []

    private static let limit = 20

    /// All of them.
    public var all: [String] { ofOwnership + local }

    mutating func addOwnership(_ text: String) {
        if ofOwnership.count < Self.limit { ofOwnership.append("data.mdb, \(text)") }
    }

    mutating func addLocal(_ text: String) {
        if local.count < Self.limit { local.append("data.mdb, \(text)") }
    }
}
