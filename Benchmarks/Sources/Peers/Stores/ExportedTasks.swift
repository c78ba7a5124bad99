/// A complete export with the structure of Daybook's own.
struct ExportedTasks: Encodable {
    var exportDate = "2026-02-10T16:00:00Z"
    var appVersion = "1.0.0"
    let tasks: [TaskFields]
}
