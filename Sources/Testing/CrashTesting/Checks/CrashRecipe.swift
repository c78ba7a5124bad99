/// Everything that an image follows from: one line of text replays exactly it.
struct CrashRecipe: Sendable {
    var workload: LabWorkload
    /// The crash comes at this entry of the recording, while the call is under way or after it has returned.
    var point: Int
    var moment: CrashMoment
    /// What of the unsynced writes the disk kept.
    var image: ImageRecipe
    var lock: LockFile

    /// `small:create,complete|17+|keep=0-3|stale`
    var text: String { "\(workload.text)|\(point)\(moment.rawValue)|\(image)|\(lock.name)" }

    init(workload: LabWorkload, point: Int, moment: CrashMoment, image: ImageRecipe, lock: LockFile) {
        self.workload = workload
        self.point = point
        self.moment = moment
        self.image = image
        self.lock = lock
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, let workload = LabWorkload(parts[0]), let sign = parts[1].last,
            let moment = CrashMoment(rawValue: String(sign)), let point = Int(parts[1].dropLast()), point >= 0,
            let image = ImageRecipe(String(parts[2])),
            let lock = LockFile.allCases.first(where: { $0.name == parts[3] })
        else { return nil }
        self.init(workload: workload, point: point, moment: moment, image: image, lock: lock)
    }
}
