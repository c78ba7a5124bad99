import Testing

/// The suites that record: one after the other, since there is one recorder in a process.
@Suite(.serialized) enum WithDiskLog {}
