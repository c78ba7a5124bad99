/// Which versions of the hub can work with the tables of a database, numbered by the tables that they make.
public struct FittingHubs: Sendable, Hashable {
    /// The version of the tables; 0 for none.
    public let tables: Int
    /// The first version whose hubs can work with them.
    public let oldest: Int
    /// This hub's version.
    public let own: Int

    /// A sentence for whoever updates hubs.
    public var description: String {
        let older = oldest < tables ? "version \(oldest) or later" : "version \(tables)"
        return "Tables: version \(tables), for hubs of \(older). This hub: version \(own)."
    }
}
