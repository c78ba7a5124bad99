/// The tasks of one day.
struct DayGroup {
    let day: Int?
    var tasks: [TaskFields]

    static func groups(of tasks: [TaskFields]) -> [DayGroup] {
        var groups: [DayGroup] = []
        for task in tasks {
            if let last = groups.last, last.day == task.day {
                groups[groups.count - 1].tasks.append(task)
            } else {
                groups.append(DayGroup(day: task.day, tasks: [task]))
            }
        }
        return groups
    }
}
