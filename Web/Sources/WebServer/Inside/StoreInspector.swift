import Daybook

/// The store's inside: `/store/…`.
struct StoreInspector: Sendable {
    let store: DaybookStore

    func answer(_ question: Question) async throws -> Answer { .missing }
}

extension StoreInspector {
    /// Whether a question changes nothing, and is answered by a server that only shows.
    static func isHarmless(_ question: Question) -> Bool { false }
}
