import Daybook

/// The store's inside: `/store/…`.
struct StoreInspector: Sendable {
    let store: DaybookStore

    func answer(_ question: Question) async throws -> Answer { .missing }
}
