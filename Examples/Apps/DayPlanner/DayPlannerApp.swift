import Daybook
import DaybookModels
import Observation

/// A planner by 1-3-5: a day has regions, and each region room for one task that must be done, three that belong to it, five more.
@MainActor @Observable
final class DayPlannerApp {
    let store: DaybookStore
    let session: DaybookSession
    let plan: PlanModel
    let undo: UndoModel<UndoNotice>
    private let texts: any DaybookTexts

    init(_ store: DaybookStore, texts: any DaybookTexts = EnglishTexts()) {
        (self.store, self.texts) = (store, texts)
        session = store.session()
        plan = PlanModel(session.tasks)
        undo = UndoModel(session.tasks)
    }

    var message: String? { (plan.failure ?? undo.failure).map(texts.text) }

    /// When the application starts, and at each midnight that it is open: what may be carried comes to today, and what has expired goes.
    func beginDay() async {
        await plan.perform { [session] in
            try await session.tasks.archiveExpired()
            try await session.tasks.rollOver()
        }
    }

    /// Plans a new task for today.
    ///
    /// - Returns: Whether there was room.
    @discardableResult
    func add(_ text: String, to region: TaskRegion = .backlog, _ bucket: TaskBucket = .none, carries: Bool = true) async
        -> Bool
    {
        let new = NewTask(text, on: store.context.today, region: region, bucket: bucket, autoCarry: carries)
        return await plan.perform { [session] in try await session.tasks.create([new]) } != nil
    }

    func place(_ task: TaskItem, in region: TaskRegion, _ bucket: TaskBucket) async {
        await plan.perform { [session] in try await session.tasks.place([task.id], region: region, bucket: bucket) }
    }

    func complete(_ task: TaskItem) async {
        await plan.perform { [session] in try await session.tasks.complete(task.id) }
    }

    /// Shows a task before the others of its bucket, or no longer.
    func stick(_ task: TaskItem) async {
        await plan.perform { [session] in try await session.tasks.setSticky([task.id], to: !task.isSticky) }
    }

    var screen: String {
        var lines: [String] = []
        for region in plan.plan?.regions ?? [] {
            lines.append("\(texts.heading(of: region.region).uppercased()) \(region.open)")
            for bucket in region.buckets where !bucket.tasks.isEmpty {
                lines.append(" \(texts.heading(of: bucket.bucket))")
                lines += bucket.tasks.map { "  [\($0.isCompleted ? "x" : " ")] \($0.text)" }
            }
        }
        if let message { lines.append(message) }
        return lines.joined(separator: "\n")
    }

    /// A line typed in a terminal: a region, a bucket and a text, or a text for the backlog.
    func enter(_ line: String) async {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        let region = TaskRegion.ordered.first { $0.name == words[0] }
        let bucket = words.count > 1 ? TaskBucket.ordered.first { $0.name == words[1] } : nil
        if words.count == 3, let region, let bucket {
            await add(words[2], to: region, bucket)
        } else {
            await add(line)
        }
    }
}
