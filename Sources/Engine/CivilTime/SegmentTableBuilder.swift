/// Puts segments together from transitions in ascending order, merging those that do not change the offset.
struct SegmentTableBuilder {
    private(set) var segments: [Segment]

    init(firstOffset: Int) {
        segments = [
            Segment(start: SegmentTable.beginning, offset: Int32(clamping: firstOffset), reached: Int32.min)
        ]
    }

    init(continuing segments: some Sequence<Segment>) {
        self.segments = Array(segments)
    }

    mutating func append(start: Int, offset: Int) {
        guard let last = segments.last, Int(last.offset) != offset else { return }
        if last.start == start {
            // Two transitions at once: only the later one lasts.
            segments[segments.count - 1].offset = Int32(clamping: offset)
        } else {
            segments.append(
                Segment(start: start, offset: Int32(clamping: offset), reached: last.reached(by: start)))
        }
    }
}
