#if os(Linux)
    import CrashTesting
    import Daybook
    import Simulation
    import Testing

    extension WithDiskLog {
        /// Crashes within the verbs of a program's own.
        @Suite struct OwnVerbTests {
            private struct Note: Record {
                let id: UUID

                static var collection: RecordCollection<Note> { RecordCollection<Note>("notes") {} }

                init(id: UUID) {
                    self.id = id
                }

                init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
                    self.id = id
                }

                func encode(into fields: inout FieldEncoder) {}
            }

            private static let vocabulary: Vocabulary = {
                var words = Vocabulary(records: Schema().adding(Note.collection))
                words.add(verb: "note") { count, daybook in
                    for _ in 0..<(try count.number(as: Int.self)) {
                        try await daybook.write { try $0.put(Note(id: $0.identifiers.next())) }
                    }
                }
                words.add(subject: "notes") { _, daybook in
                    .number(try daybook.read { try $0[Note.self].count() })
                }
                return words
            }()

            /// What each choice of a crash within a verb leads to.
            private func outcomes(_ crash: Crash, duringNotes count: Int) throws -> [String] {
                let simulator = Simulator(machine: RecordedMachine(), vocabulary: Self.vocabulary)
                return try (0..<24).map { choice in
                    let story = try simulator.play(
                        try ScenarioReader(vocabulary: Self.vocabulary).read(
                            """
                            name: A crash within a verb
                            starts: 2026-03-10 12:00
                            zone: UTC
                            steps:
                              - create: A
                              - note: 1
                              - { crash: \(crash.rawValue), during: { note: \(count) }, choice: \(choice) }
                              - create: B
                              - expect: { inbox: [A, B] }
                            """, file: "notes.yaml"))
                    #expect(story.isGood)
                    return story.events.dropFirst(2).first?.outcome ?? ""
                }
            }

            @Test("What it writes is there or not there, and the tasks are as they were", arguments: Crash.allCases)
            func single(crash: Crash) throws {
                let outcomes = try outcomes(crash, duringNotes: 1)
                #expect(outcomes.contains { $0.hasSuffix("it is there") })
                #expect(outcomes.contains { $0.hasSuffix("it is not there") })
            }

            @Test("Of several writes any number may be left", arguments: Crash.allCases)
            func several(crash: Crash) throws {
                #expect(Set(try outcomes(crash, duringNotes: 3)).count > 6)
            }
        }
    }
#endif
