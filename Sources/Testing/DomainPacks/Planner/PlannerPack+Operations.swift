import CivilTime
import FoundationEssentials
import Records
import Tasks

extension PlannerPack {
    package static let operations: [DomainOperation<Self>] = [
        // Into a bucket that has room, or into none.
        DomainOperation("plan", weight: 2) { model, draw in
            let number = model.lastNumber + 1
            var slot = slot(&draw)
            if !model.hasRoom(in: slot) { slot.bucket = .none }
            return create(number, Task(slot: slot))
        },
        // Refused where there is no room.
        DomainOperation("place", weight: 2) { model, draw in
            var slot = slot(&draw)
            let wanted = slot
            let others = model.numbers { task in
                !task.isCompleted && !task.isArchived
                    && (task.slot.region != wanted.region || task.slot.bucket != wanted.bucket)
            }
            guard let number = draw.pick(others), let task = model.tasks[number] else { return nil }
            slot.day = task.slot.day
            let (region, bucket) = (slot.region, slot.bucket)
            let place = { @Sendable (transaction: WriteTransaction) throws -> Void in
                try transaction.tasks.place(TaskAction.id(number), region: region, bucket: bucket)
            }
            guard model.hasRoom(in: slot) else { return .refused(transaction: place) }
            return DomainChange({ [slot] in $0.move(number, to: slot) }, transaction: place)
        },
        // A task of a file, on a past day, that asks for the same place as others of its kind.
        DomainOperation("late") { model, draw in
            let number = model.lastNumber + 1
            let day = draw.today.advanced(by: -1 - draw.below(3))
            let task = Task(slot: Slot(day: day, region: .morning, bucket: .must), autoCarry: true)
            let now = draw.now
            return DomainChange {
                $0.insert(number, task)
            } transaction: {
                var item = TaskItem(id: TaskAction.id(number), text: TaskAction.text(number), createdAt: now)
                (item.region, item.bucket, item.autoCarry) = (.morning, .must, true)
                // After all that the bucket had, however often tasks were moved there.
                (item.scheduledDate, item.planOrder) = (day, Int64(number) << 40)
                try $0.tasks.merge(ImportedTask(item))
            }
        },
        DomainOperation("rollover") { model, draw in
            let today = draw.today
            guard !model.due(before: today).isEmpty else { return nil }
            return DomainChange({ $0.rollOver(to: today) }) { _ = try $0.tasks.rollOver() }
        },
        DomainOperation("expire") { model, draw in
            let now = draw.now
            let due = model.numbers { task in !task.isArchived && task.expiresAt.map { $0 < now } ?? false }
            guard !due.isEmpty else { return nil }
            return DomainChange {
                for number in due {
                    $0.leave(number)
                    $0.tasks[number]?.isArchived = true
                }
            } transaction: {
                _ = try $0.tasks.archiveExpired()
            }
        },
        DomainOperation("finish") { model, draw in
            let open = model.numbers { !$0.isCompleted && !$0.isArchived }
            guard let number = draw.pick(open) else { return nil }
            return DomainChange({ $0.tasks[number]?.isCompleted = true }) {
                try $0.tasks.setState(TaskAction.id(number), to: .completed)
            }
        },
        // Refused where there is no room.
        DomainOperation("again") { model, draw in
            let done = model.numbers { $0.isCompleted && !$0.isArchived }
            guard let number = draw.pick(done), let task = model.tasks[number] else { return nil }
            let reopen = { @Sendable (transaction: WriteTransaction) throws -> Void in
                try transaction.tasks.setState(TaskAction.id(number), to: .notStarted)
            }
            guard model.hasRoom(in: task.slot) else { return .refused(transaction: reopen) }
            return DomainChange({ $0.tasks[number]?.isCompleted = false }, transaction: reopen)
        },
        DomainOperation("stick", isShort: false) { model, draw in
            let shown = model.numbers { !$0.isArchived }
            guard let number = draw.pick(shown), let task = model.tasks[number] else { return nil }
            return DomainChange({ $0.tasks[number]?.isSticky = !task.isSticky }) {
                try $0.tasks.setSticky(TaskAction.id(number), to: !task.isSticky)
            }
        },
        DomainOperation("perish", isShort: false) { model, draw in
            let slot = Slot(day: draw.today, region: .evening, bucket: .none)
            let expiry = draw.now.advanced(bySeconds: -1)
            return create(model.lastNumber + 1, Task(slot: slot, expiresAt: expiry))
        },
    ]

    private static func slot(_ draw: inout DomainDraw) -> Slot {
        let bucket = buckets[draw.below(buckets.count)]
        return Slot(day: draw.today, region: regions[draw.below(regions.count)], bucket: bucket)
    }

    private static func create(_ number: Int, _ task: Task) -> DomainChange<Self> {
        DomainChange {
            $0.insert(number, task)
        } transaction: {
            var new = NewTask(TaskAction.text(number), on: task.slot.day, id: TaskAction.id(number))
            (new.region, new.bucket) = (task.slot.region, task.slot.bucket)
            new.expiresAt = task.expiresAt
            try $0.tasks.create(new)
        }
    }
}
