/// Jobs in the order in which they came.
struct JobQueue {
    private var jobs: [UnownedJob] = []
    private var first = 0

    mutating func append(_ job: UnownedJob) {
        jobs.append(job)
    }

    mutating func popFirst() -> UnownedJob? {
        guard first < jobs.count else { return nil }
        defer {
            first += 1
            if first == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return jobs[first]
    }
}
