/// How far a run had come at a crash point.
struct RunProgress {
    private(set) var issued = 0
    private(set) var acknowledged = 0
    private(set) var isOpen = false

    mutating func take(_ kind: UInt32, _ value: Int64) {
        switch LabMark(rawValue: kind) {
        case .issued: issued = Int(value)
        case .acknowledged:
            acknowledged = Int(value)
            isOpen = true
        default: break
        }
    }

    func rules(of recording: Recording, _ workload: LabWorkload) -> ImageRules {
        // Before that, what the import was to find in the store is not there.
        let isImporting = acknowledged >= workload.steps.count
        return ImageRules(
            states: recording.states, allowed: acknowledged...max(acknowledged, issued),
            mustExist: isOpen || recording.start.bytes(of: Recording.dataPath) != nil,
            undoDepths: recording.undoDepths, content: isImporting ? recording.content : nil,
            workload: workload)
    }
}
