/// Leads a disk through the events of a recording, and stops at each point at which a crash can leave other images.
struct DiskMoments {
    struct Moment {
        let event: TraceEvent
        /// Whether a synchronous write has already flushed its bytes.
        let isAfterFlush: Bool
        /// How many lines the run had acknowledged.
        let acknowledged: Int
    }

    let disk: ProgramDisk
    private let events: [TraceEvent]
    private var index = 0
    private var acknowledged = 0
    private var unflushed: [PendingChange] = []
    private var isAfterWrite = false

    init(_ disk: ProgramDisk, _ events: [TraceEvent]) {
        self.disk = disk
        self.events = events
    }

    /// Goes on to the next point; nil at the end. The disk is then in the state of the point.
    mutating func next() -> Moment? {
        if !unflushed.isEmpty {
            disk.harden(unflushed)
            unflushed = []
            if isAfterWrite {
                return Moment(event: events[index - 1], isAfterFlush: true, acknowledged: acknowledged)
            }
        }
        while index < events.count {
            let event = events[index]
            index += 1
            if event.kind == .acknowledgment { acknowledged += 1 }
            let flushed = disk.apply(event)
            guard event.isCrashPoint else {
                disk.harden(flushed)
                continue
            }
            unflushed = flushed
            isAfterWrite = event.kind == .write
            return Moment(event: event, isAfterFlush: false, acknowledged: acknowledged)
        }
        return nil
    }
}
