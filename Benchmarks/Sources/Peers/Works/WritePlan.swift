import Daybook

/// Changes that are planned beforehand, so that every peer makes the same ones and none is without effect.
struct WritePlan {
    let states: [(id: UUID, state: TaskState)]
    let moves: [(id: UUID, after: UUID)]

    init(_ peer: DaybookPeer, count: Int) throws {
        var view = try peer.daybook.tasks.today().map { (id: $0.id, state: $0.state) }
        states = (0..<count).map { number in
            let index = number % view.count
            view[index].state = view[index].state.next
            return view[index]
        }
        var list = try peer.listIDs()
        var moves: [(id: UUID, after: UUID)] = []
        var draw: UInt64 = 1
        while moves.count < count {
            draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let from = Int(draw >> 33) % list.count
            let to = Int(draw >> 13 & 0xFFFFF) % list.count
            guard to != from, to != from - 1 else { continue }
            let (id, other) = (list[from], list[to])
            moves.append((id, other))
            list.remove(at: from)
            list.insert(id, at: (list.firstIndex(of: other) ?? 0) + 1)
        }
        self.moves = moves
    }
}
