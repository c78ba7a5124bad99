/// Labels one below the other, each as near to its place as the others let it.
enum LabelColumn {
    /// Moves places apart until each has its room, within a height. The order stays.
    static func spread(_ places: [Double], room: Double, height: Double) -> [Double] {
        let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
        // Places that touch become one block around their middle, until no blocks touch.
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
