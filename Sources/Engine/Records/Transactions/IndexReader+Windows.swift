/// Where a window of an index begins or ends.
public enum WindowPlace: Sendable, Hashable {
    /// At the first record.
    case start
    /// At the last record.
    case end
    /// After the place of a token: what follows an earlier window.
    case after(PageToken)
    /// Before the place of a token: what comes before an earlier window.
    case before(PageToken)
}

/// Neighboring records of an index, with the places from which to continue in both directions.
public struct PageWindow<R: Record>: Sendable {
    /// The records, in the order of the index.
    public let records: [R]
    /// The place before the first record; nil when no record comes before it.
    public let previous: PageToken?
    /// The place after the last record; nil when no record follows it.
    public let next: PageToken?
}

extension IndexReader {
    /// Returns up to `limit` neighboring records of a range, in the order of the index, from a place on or up to it.
    ///
    /// The places stay valid whatever is written in between, as those of `page`, and lead in both directions. For an index
    /// with one key for a record.
    ///
    /// - Throws: `foreignPageToken` for a token of another index, or of another range of this one.
    /// - Complexity: a step and a look-up for each record that is returned, and two more.
    public func window(
        in range: IndexRange<R, Key> = .all, at place: WindowPlace = .start, limit: Int = 20
    ) throws -> PageWindow<R> {
        let isBackwards: Bool
        let token: PageToken?
        switch place {
        case .start: (isBackwards, token) = (false, nil)
        case .end: (isBackwards, token) = (true, nil)
        case .after(let place): (isBackwards, token) = (false, place)
        case .before(let place): (isBackwards, token) = (true, place)
        }
        let page = try page(in: range, after: token, backwards: isBackwards, limit: limit)
        let records = isBackwards ? page.records.reversed() : page.records
        guard let first = records.first, let last = records.last else {
            return PageWindow(
                records: [], previous: isBackwards ? nil : try here(token, in: range, backwards: true),
                next: isBackwards ? try here(token, in: range, backwards: false) : nil)
        }
        let hasMore = page.next != nil
        let (start, end) = (try self.token(of: first), try self.token(of: last))
        return PageWindow(
            records: records,
            previous: isBackwards
                ? (hasMore ? start : nil) : try here(token == nil ? nil : start, in: range, backwards: true),
            next: isBackwards ? try here(token == nil ? nil : end, in: range, backwards: false) : (hasMore ? end : nil))
    }

    /// The token, if a record is in that direction; nil for none.
    private func here(_ token: PageToken?, in range: IndexRange<R, Key>, backwards: Bool) throws -> PageToken? {
        guard let token else { return nil }
        return try page(in: range, after: token, backwards: backwards, limit: 1).records.isEmpty ? nil : token
    }

    /// The place of a record.
    private func token(of record: R) throws -> PageToken? {
        guard let key = index.keys(of: record).first else { return nil }
        var entry = key.keyBytes
        entry.append(contentsOf: record.id.keyBytes)
        return PageToken(after: entry, in: try transaction.schema.collection(of: R.self).bound(index).table)
    }
}
