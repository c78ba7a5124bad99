import Dispatch

/// Runs the steps of a test beside Swift's threads: `withTaskExecutorPreference(OwnThread()) { … }`. Tests that block these threads would
/// otherwise hold up each of the thousands of steps of a test that awaits much.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "daybook.tests")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
