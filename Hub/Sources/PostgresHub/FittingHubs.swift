/// Which versions of the hub can work with the tables of a database, numbered by the tables that they make.
public struct FittingHubs: Sendable, Hashable, CustomStringConvertible {
    /// The version of the tables; 0 for none.
    public let tables: Int
    /// The first version whose hubs can work with them.
    public let oldest: Int
    /// This hub's version.
    public let own: Int
    /// The first version whose hubs can work with the tables after this hub's migration; nil when nothing is to be migrated.
    public let oldestAfterMigration: Int?

    init(tables: Int, oldest: Int, own: Int, oldestAfterMigration: Int? = nil) {
        self.tables = tables
        self.oldest = oldest
        self.own = own
        self.oldestAfterMigration = oldestAfterMigration
    }

    /// Sentences for whoever updates hubs.
    public var description: String {
        let present = tables == 0 ? "none" : "version \(tables), for hubs of \(Self.text(oldest, upTo: tables))"
        let after = oldestAfterMigration.map {
            " After `daybook-hub migrate`: version \(own), for hubs of \(Self.text($0, upTo: own))."
        }
        return "Tables: \(present). This hub: version \(own).\(after ?? "")"
    }

    private static func text(_ oldest: Int, upTo newest: Int) -> String {
        oldest < newest ? "version \(oldest) or later" : "version \(newest)"
    }
}
