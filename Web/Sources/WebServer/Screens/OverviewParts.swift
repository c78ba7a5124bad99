import Daybook
import DaybookModels
import FoundationEssentials

/// The lists with their numbers of open tasks and, on the page of the lists, of those that are due.
@MainActor
final class ListsPart: Part {
    private let due: LiveValue<DueCounts>?
    var models: [LiveModel] { due.map { [$0] } ?? [] }

    /// - Parameter due: nil where the due tasks are not shown: counting reads each of them.
    init(due: LiveValue<DueCounts>?) { self.due = due }

    struct State: PartState {
        var part: String
        let lists: [List]
        let none: List
        let colors = [
            "#FF3B30", "#FF9500", "#FFCC00", "#34C759", "#00C7BE", "#007AFF", "#5856D6", "#AF52DE", "#8E8E93",
        ]
        /// Whether there are more due tasks than were counted.
        var more: Bool?
    }

    struct List: Encodable {
        var id: String?
        var name = "No list"
        var color: String?
        var open: Int
        var due: Int?
        var overdue: Int?
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard let overview = board.lists.overview, due == nil || due?.value != nil else { return }
        func counted(_ list: List, _ id: UUID?) -> List {
            guard let count = due?.value?[id] else { return list }
            var list = list
            (list.due, list.overdue) = (count.today, count.overdue)
            return list
        }
        var state = State(
            part: request.part,
            lists: overview.lists.map {
                counted(
                    List(
                        id: $0.list.id.uuidString.lowercased(), name: $0.list.name, color: "#\($0.list.color)",
                        open: $0.open), $0.list.id)
            }, none: counted(List(open: overview.unlisted), nil))
        if due?.value?.isComplete == false { state.more = true }
        page.send(state, hasRows: false)
    }
}

/// The plan of a day.
@MainActor
final class PlanPart: Part {
    private let model: PlanModel
    var models: [LiveModel] { [model] }

    init(_ model: PlanModel) { self.model = model }

    struct State: PartState {
        var part: String
        let day: String
        let title: String
        let isToday: Bool
        let regions: [Region]
        var rows: [String: Row] = [:]

        var withoutRows: any PartState {
            var state = self
            state.rows = [:]
            return state
        }
    }

    struct Region: Encodable {
        let region: String
        let heading: String
        let open: Int
        let buckets: [Bucket]
    }

    struct Bucket: Encodable {
        let bucket: String
        let heading: String
        let cap: Int?
        let used: Int
        let items: [String]
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard let plan = model.plan else { return }
        let today = board.store.context.today
        let tasks = plan.regions.flatMap { $0.buckets.flatMap(\.tasks) }
        var state = State(
            part: request.part, day: plan.day.description,
            title: board.texts.relative(plan.day, today: today).capitalized,
            isToday: plan.day == today,
            regions: plan.regions.map { region in
                Region(
                    region: region.region.name, heading: board.texts.heading(of: region.region), open: region.open,
                    buckets: region.buckets.map {
                        Bucket(
                            bucket: $0.bucket.name, heading: board.texts.heading(of: $0.bucket), cap: $0.cap,
                            used: $0.used,
                            items: $0.tasks.map { $0.id.uuidString.lowercased() })
                    })
            })
        state.rows = page.news(in: try board.rows(tasks), of: request.part)
        page.send(state, hasRows: !state.rows.isEmpty)
    }
}

/// The numbers of completed tasks.
@MainActor
final class StatisticsPart: Part {
    private let model: StatisticsModel
    var models: [LiveModel] { [model] }

    init(_ model: StatisticsModel) { self.model = model }

    struct State: PartState {
        var part: String
        let today, week, month, lastMonth: Int
        let trend: String
        let summary: String
        let days: [DayCount]?
    }

    struct DayCount: Encodable {
        let day: String
        let completed: Int
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard let numbers = model.statistics else { return }
        let state = State(
            part: request.part, today: numbers.today, week: numbers.week, month: numbers.month,
            lastMonth: numbers.lastMonth,
            trend: numbers.trend.rawValue, summary: board.texts.summary(of: numbers),
            days: model.days?.days.map { DayCount(day: $0.day.description, completed: $0.completed) })
        page.send(state, hasRows: false)
    }
}

/// The offer to undo the last change.
@MainActor
final class UndoPart: Part {
    var models: [LiveModel] { [] }

    struct State: PartState {
        var part: String
        var text: String?
        var seconds: Int?
        var deadline: Int?
        /// Two offers with the same text are two.
        var number: UInt64?
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        var state = State(part: request.part)
        if let offer = board.undo.offer {
            let left = offer.deadline.microseconds(since: board.store.context.clock.monotonic)
            state = State(
                part: request.part, text: board.texts.undoNotice(for: offer.action),
                seconds: Int((max(0, left) + 999_999) / 1_000_000), deadline: Int(max(0, left) / 1000),
                number: offer.sequence)
            // Time alone is no news: the page counts down by itself.
            if page.knownOffer == offer.sequence { return }
        }
        page.knownOffer = state.number
        page.send(state, hasRows: false)
    }
}

/// What a page shows everywhere: which day it is, where, and how sync is doing.
@MainActor
final class StatusPart: Part {
    private struct Place: Equatable {
        let today: Day
        let zone: Zone
    }

    private let place: LiveValue<Place>
    var models: [LiveModel] { [place] }

    init(_ store: DaybookStore) {
        let context = store.context
        place = LiveValue(store.observe { _ in Place(today: context.today, zone: context.zone) })
    }

    struct State: PartState {
        var part: String
        let today: String
        let dayText: String
        let zone: String
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard let place = place.value else { return }
        let state = State(
            part: request.part, today: place.today.description, dayText: place.today.heading,
            zone: place.zone.identifier)
        page.send(state, hasRows: false)
    }
}

extension Day {
    /// Such as "Tue 10 Feb 2026".
    var heading: String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(String(describing: weekday).prefix(3).capitalized) \(day) \(months[month - 1]) \(year)"
    }
}
