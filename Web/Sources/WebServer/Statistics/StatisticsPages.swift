import Daybook

/// Pictures and numbers of statistics: `/statistics/…`.
struct StatisticsPages: Sendable {
    let store: DaybookStore

    func answer(_ question: Question) async throws -> Answer { .missing }
}
