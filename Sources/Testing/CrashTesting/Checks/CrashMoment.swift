/// Whether a crash comes while a call is under way or when it has returned.
enum CrashMoment: String, Sendable {
    case during = "-"
    case after = "+"

    /// What a call may leave while it is under way, it may leave afterwards as well, unless it is one that makes something
    /// durable by itself.
    static func worthTrying(of call: DiskCall) -> [CrashMoment] {
        call.isSynchronous ? [.during, .after] : [.after]
    }
}
