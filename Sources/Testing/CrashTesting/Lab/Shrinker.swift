/// Makes a workload that breaks a promise as short as it can be while it still does.
struct Shrinker {
    /// The first violation of a workload; nil when none is found with a fair effort.
    let find: (LabWorkload) throws -> CrashViolation?

    /// Leaves out ever smaller parts of the steps as long as something stays broken; nil when nothing can be left out.
    func shrink(_ workload: LabWorkload) throws -> CrashViolation? {
        var shortest = workload
        var found: CrashViolation?
        var length = max(workload.steps.count / 2, 1)
        while length >= 1 {
            var start = 0
            while start < shortest.steps.count {
                var candidate = shortest
                candidate.steps.removeSubrange(start..<min(start + length, shortest.steps.count))
                // A step may have lost what it was done to; then the workload means something else, or fails by itself.
                if let violation = try? find(candidate) {
                    shortest = candidate
                    found = violation
                } else {
                    start += length
                }
            }
            length /= 2
        }
        if shortest.rebuilds {
            var candidate = shortest
            candidate.rebuilds = false
            if let violation = try? find(candidate) {
                shortest = candidate
                found = violation
            }
        }
        if shortest.imports {
            var candidate = shortest
            candidate.imports = false
            if let violation = try? find(candidate) { found = violation }
        }
        return found
    }
}
