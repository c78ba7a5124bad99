/// What is to happen, in the order of virtual time; of equal times, in the order in which it was added.
struct EventQueue<Event> {
    private struct Entry {
        let time: Int64
        let number: Int
        let event: Event
        /// Whether nothing would happen any more, as with a timeout of what has come.
        let isVoid: (() -> Bool)?
    }

    /// A binary heap.
    private var entries: [Entry] = []
    private var added = 0

    /// When the next event is, in microseconds; nil without one.
    mutating func nextTime() -> Int64? {
        while let first = entries.first {
            guard first.isVoid?() ?? false else { return first.time }
            _ = popFirst()
        }
        return nil
    }

    mutating func add(_ event: Event, at time: Int64, unless isVoid: (() -> Bool)? = nil) {
        added += 1
        entries.append(Entry(time: time, number: added, event: event, isVoid: isVoid))
        var place = entries.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func popFirst() -> Event? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            var place = 0
            while true {
                let children = [place * 2 + 1, place * 2 + 2].filter { $0 < entries.count }
                guard let least = children.min(by: isBefore), isBefore(least, place) else { break }
                entries.swapAt(place, least)
                place = least
            }
        }
        return first.event
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (entries[left].time, entries[left].number) < (entries[right].time, entries[right].number)
    }
}
