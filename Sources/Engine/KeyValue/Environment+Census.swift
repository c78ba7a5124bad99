extension Environment {
    /// Looks at every page of the data file that anything leads to, and returns what is wrong with them: a page in two
    /// trees, in use and free at once, in another's place, or not laid out as it must be. Cost: reads every page that is
    /// in use.
    ///
    /// While another process commits all the time, the moment may be gone before its pages can be looked at; then nothing
    /// is found.
    public func pageProblems() throws(KeyValueError) -> PageProblems {
        let file = "\(path)/\(StoreFolder.dataFile)"
        for _ in 0..<16 {
            // The transaction keeps the pages of its moment from being used again.
            let transaction = try beginRead()
            let meta = try MetaPage.newest(in: file)
            guard try transaction.number == meta.transaction else { continue }
            return try PageCensus(of: file, at: meta).problems
        }
        return PageProblems()
    }
}
