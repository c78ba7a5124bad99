import KeyValue

/// The ways from one list to the next.
extension RecordList {
    typealias Step = RangeUpdate<R>.Step

    /// A record that changed: its entry in the range before, and the one that it has now.
    struct RecordChange {
        let old: KeyBytes?
        let new: Entry?

        var isInPlace: Bool { old == new?.key }
    }

    /// Applies changes of records, and returns the steps from the list before. Records of which no other one has changed
    /// its side stay where they are. Cost: a search for each change.
    mutating func apply(_ changes: [RecordChange]) -> [Step] {
        // By far the most updates. What follows costs ten times as much: in generic code, each type that depends on a type
        // parameter is looked up at run time.
        if changes.count == 1 { return apply(changes[0]) }
        var removals: [(entry: Entry, at: Int)] = []
        var origins: [KeyBytes: Int] = [:]
        for change in changes where !change.isInPlace {
            guard let old = change.old, let position = position(of: old) else { continue }
            if let new = change.new {
                origins[new.key] = position
            } else {
                removals.append((entry(at: position), position))
            }
        }
        for change in changes where !change.isInPlace {
            if let old = change.old { remove(old) }
        }
        // In the order of the list, so that each is inserted at the position that it keeps.
        let arrivals = changes.compactMap { $0.isInPlace ? nil : $0.new }.sorted { isBefore($0.key, $1.key) }
            .map { entry in (entry: entry, at: insert(entry), from: origins[entry.key]) }
        let places = arrivals.map { $0.at }
        let left = (removals.map { $0.at } + origins.values).sorted()
        // A record stays if it has not passed any that did not change, and is not in the way of others that stay.
        let candidates = arrivals.indices.filter { index in
            guard let origin = arrivals[index].from else { return false }
            let before = origin - firstPlace(among: left.count) { left[$0] >= origin }
            return before == places[index] - index
        }.sorted { (arrivals[$0].from ?? 0) < (arrivals[$1].from ?? 0) }
        let unmoved = OrderedDifference.unmoved(candidates.map { places[$0] })
        let stays = Set(unmoved.map { candidates[$0] })

        var steps: [Step] = removals.sorted { $0.at > $1.at }.map { .removed($0.entry.record, at: $0.at) }
        var updates: [(record: R, at: Int)] = []
        for (index, arrival) in arrivals.enumerated() {
            switch arrival.from {
            case nil: steps.append(.inserted(arrival.entry.record, at: arrival.at))
            case _? where stays.contains(index): updates.append((arrival.entry.record, arrival.at))
            case let origin?: steps.append(.moved(arrival.entry.record, from: origin, to: arrival.at))
            }
        }
        for change in changes where change.isInPlace {
            guard let new = change.new, let position = update(new) else { continue }
            updates.append((new.record, position))
        }
        return steps + updates.sorted { $0.at < $1.at }.map { .updated($0.record, at: $0.at) }
    }

    /// Applies a change of one record.
    private mutating func apply(_ change: RecordChange) -> [Step] {
        guard let new = change.new else {
            guard let old = change.old, let position = position(of: old) else { return [] }
            let record = entry(at: position).record
            remove(old)
            return [.removed(record, at: position)]
        }
        if change.isInPlace {
            guard let position = update(new) else { return [] }
            return [.updated(new.record, at: position)]
        }
        guard let old = change.old, let origin = position(of: old) else {
            return [.inserted(new.record, at: insert(new))]
        }
        remove(old)
        let position = insert(new)
        return [
            origin == position ? .updated(new.record, at: position) : .moved(new.record, from: origin, to: position)
        ]
    }

    /// Compares the lists record by record, and returns the steps from this one to another. Cost: n log n.
    func steps(to other: Self) -> [Step] {
        let (old, new) = (entries, other.entries)
        let places = Dictionary(new.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        var removals: [Step] = []
        var kept: [(from: Int, to: Int)] = []
        for (position, entry) in old.enumerated() {
            if let place = places[entry.id] {
                kept.append((position, place))
            } else {
                removals.append(.removed(entry.record, at: position))
            }
        }
        let unmoved = OrderedDifference.unmoved(kept.map(\.to))
        var origins: [Int: Int] = [:]
        var stays: Set<Int> = []
        var updates: [Int] = []
        for (number, pair) in kept.enumerated() {
            if unmoved.contains(number) {
                stays.insert(pair.to)
                if old[pair.from].hash != new[pair.to].hash { updates.append(pair.to) }
            } else {
                origins[pair.to] = pair.from
            }
        }
        var steps = Array(removals.reversed())
        for (position, entry) in new.enumerated() where !stays.contains(position) {
            if let origin = origins[position] {
                steps.append(.moved(entry.record, from: origin, to: position))
            } else {
                steps.append(.inserted(entry.record, at: position))
            }
        }
        return steps + updates.sorted().map { .updated(new[$0].record, at: $0) }
    }
}

/// The shortest way from one order to another.
enum OrderedDifference {
    /// Which of some different numbers stay where they are, relative to each other: a longest ascending subsequence
    /// (patience sorting), by position. Cost: n log n.
    static func unmoved(_ numbers: [Int]) -> Set<Int> {
        // For each length the position of the smallest number that ends an ascending sequence of that length.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            let length = firstPlace(among: ends.count) { numbers[ends[$0]] >= number }
            if length > 0 { before[position] = ends[length - 1] }
            if length == ends.count { ends.append(position) } else { ends[length] = position }
        }
        var result: Set<Int> = []
        var position = ends.last ?? -1
        while position >= 0 {
            result.insert(position)
            position = before[position]
        }
        return result
    }
}
