/// A layout of labels below each other, each as close to its target as possible.
enum LabelColumn {
    /// Returns positions with the required distance within a height. The order is preserved.
    static func spread(_ places: [Double], room: Double, height: Double) -> [Double] {
        let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
        // Overlapping labels are merged into a block around their middle, until none overlap.
        var blocks: [(middle: Double, count: Int)] = []
        for index in order {
            var block = (middle: places[index], count: 1)
            while let last = blocks.last {
                let gap = (block.middle - last.middle) - room * Double(last.count + block.count) / 2
                guard gap < 0 else { break }
                let count = last.count + block.count
                block = (
                    (last.middle * Double(last.count) + block.middle * Double(block.count)) / Double(count), count
                )
                blocks.removeLast()
            }
            let half = room * Double(block.count) / 2
            block.middle = max(min(block.middle, height - half), half)
            blocks.append(block)
        }
        var spread: [Double] = []
        for block in blocks {
            let first = block.middle - room * Double(block.count - 1) / 2
            spread += (0..<block.count).map { first + room * Double($0) }
        }
        var result = places
        for (place, index) in order.enumerated() { result[index] = spread[place] }
        return result
    }
}
