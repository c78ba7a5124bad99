import CivilTime
import Foundation
import Testing

@testable import Records
@testable import Tasks

@Suite struct FieldTests {
    @Test("The encoders of tasks and tombstones agree with their declared fields [C-AD1]")
    func encodersAgree() {
        let instant = Instant(secondsSince1970: 1_770_800_400)
        var task = TaskItem(id: UUID(high: 0, low: 1), text: "text", createdAt: instant)
        task.state = .completed
        task.completedAt = instant
        task.completedZone = "Europe/Berlin"
        task.completedOffsetSeconds = 3600
        task.scheduledDate = .last
        task.notes = "notes"
        task.category = "category"
        task.completionEpoch = 1
        task.dueAt = instant
        task.dueIsAllDay = false
        task.reminderAt = instant
        task.listID = task.id
        task.listOrder = 1
        task.region = .evening
        task.bucket = .must
        task.planOrder = 1
        task.autoCarry = true
        task.isSticky = true
        task.expiresAt = instant
        task.archivedAt = instant
        task.isRecurring = true
        task.recurringPattern = "daily"
        task.parentRecurringID = task.id
        task.carriedFromDay = .first
        task.carryCount = 1
        task.extra = "{}"
        task.dueDay = .first
        task.reminderDay = .first
        task.reminderSecondsIntoDay = 1
        task.occurrenceDay = .first
        task.dueZone = "x"
        (task.dueSecondsIntoDay, task.expirySecondsIntoDay, task.extraShiftDays) = (1, 1, 1)
        (task.tags, task.priority, task.waitUntil) = (["a"], .high, .first)
        (task.parentTaskID, task.subtaskOrder) = (task.id, 1)
        #expect(TaskItem.collection.mismatches(of: task) == [])
        let list = CustomList(id: task.id, name: "name", color: "FF6B6B", createdAt: instant, updatedAt: instant)
        #expect(CustomList.collection.mismatches(of: list) == [])
        var settings = TaskSettings()
        (settings.hasCompletedOnboarding, settings.selectedListID) = (true, task.id)
        (settings.appearance, settings.notificationPermission) = (.dark, .denied)
        (settings.undoSeconds, settings.undoSecondsOfDeletion) = (5, 5)
        settings.focus = TaskFocus(lists: [task.id], region: .morning)
        #expect(TaskSettings.collection.mismatches(of: settings) == [])
        #expect(DeliveredReminder.collection.mismatches(of: DeliveredReminder(id: task.id, at: instant)) == [])
        #expect(Tombstone.collection.mismatches(of: Tombstone(of: task, deletedAt: instant)) == [])
    }
}
