import Daybook
import LabSupport
import Simulation
import TestSupport
import Testing

@Suite struct MomentTests {
    @Test("A moment reads back from its text", arguments: TestBudget.range(5, long: 20))
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let day = try #require(Day(daysSince1970: .random(in: -100_000...100_000, using: &generator)))
            let scale: Int64 = [1, 1_000, 1_000_000, 60_000_000].randomElement(using: &generator)!
            let time = Int64.random(in: 0..<86_400_000_000 / scale, using: &generator) * scale
            let instant = Instant(microsecondsSince1970: .random(in: -(1 << 60)...(1 << 60), using: &generator))
            for moment in [
                Moment.local(day, microseconds: time), .timeOfDay(microseconds: time), .instant(instant), .midnight,
            ] {
                #expect(Moment(moment.description) == moment)
            }
        }
    }

    @Test("Moments are formatted like user input")
    func texts() throws {
        let day = try Day("2026-03-29")
        #expect(Moment("2026-03-29 00:30") == .local(day, microseconds: 1_800_000_000))
        #expect(Moment("23:59:59.999") == .timeOfDay(microseconds: 86_399_999_000))
        #expect(Moment("00:00:00.000001") == .timeOfDay(microseconds: 1))
        #expect(Moment("midnight") == .midnight)
        #expect(Moment("2026-03-29T00:30:00Z") == .instant(try Instant("2026-03-29T00:30:00Z")))
        #expect(Moment.timeOfDay(microseconds: 1).description == "00:00:00.000001")
        #expect(Moment.local(day, microseconds: 86_399_500_000).description == "2026-03-29 23:59:59.5")
        #expect(Moment.local(day, microseconds: 0).description == "2026-03-29 00:00")
    }

    @Test(
        "Malformed moments are rejected",
        arguments: [
            "", " ", "24:00", "23:60", "23:59:60", "8:00", "08:0", "08", "08:00:", "08:00:00.", "08:00.5",
            "08:00:00.1234567",
            "+1:30", "-0:30", "00:00:00.+5", "00:00:00.-5", "08:00 ", " 08:00", "2026-03-29", "2026-03-29  08:00",
            "2026-03-29 08:00 x", "2026-02-30 08:00", "tomorrow 08:00", "Midnight", "2026-03-29T00:30:00", "٠٨:٠٠",
        ])
    func malformed(text: String) {
        #expect(Moment(text) == nil)
    }

    @Test("A time of day is its next occurrence and midnight the end of the day, by the zone's rules")
    func instants() throws {
        let cairo = try Zone("Africa/Cairo")
        // On 2026-04-24 the day starts at 01:00 there.
        let evening = try Instant("2026-04-23T20:00:00Z")
        #expect(Moment.midnight.instant(after: evening, in: cairo) == (try Instant("2026-04-23T22:00:00Z")))
        #expect(
            Moment.timeOfDay(microseconds: 1_800_000_000).instant(after: evening, in: cairo)
                == (try Instant("2026-04-23T22:00:00Z")))
        #expect(
            Moment.timeOfDay(microseconds: 79_200_000_000).instant(after: evening, in: cairo)
                == (try Instant("2026-04-24T19:00:00Z")))
    }
}

@Suite struct DurationTextTests {
    @Test("A duration reads back from its text", arguments: TestBudget.range(5, long: 20))
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let bits = Int.random(in: 0...54, using: &generator)
            let duration = Duration.microseconds(Int64.random(in: -(1 << bits)...(1 << bits), using: &generator))
            #expect(Duration(text: duration.text) == duration)
        }
    }

    @Test("Durations are formatted like user input")
    func texts() {
        #expect(Duration(text: "3d") == .days(3))
        #expect(Duration(text: "1h 30m") == .minutes(90))
        #expect(Duration(text: "2.9s") == .milliseconds(2_900))
        #expect(Duration(text: "0.000001s") == .microseconds(1))
        #expect(Duration(text: "-1d 2h") == .hours(-26))
        #expect(Duration(text: "+90m") == .minutes(90))
        #expect(Duration.minutes(90).text == "1h 30m")
        #expect(Duration.milliseconds(-2_900).text == "-2s 900ms")
        #expect(Duration.zero.text == "0s")
        #expect(Duration.days(7).text == "7d")
    }

    @Test(
        "Malformed durations are rejected",
        arguments: [
            "", "-", "3", "d", "3 d", "3d ", " 3d", "3d  2h", "--3d", "3d -2h", "3x", "3D", ".s", "1.2.3s", "1e3s",
            "infs", "nans",
            "370372d", "1000000000000000000000d", String(repeating: "300000d ", count: 400) + "1d",
        ])
    func malformed(text: String) {
        #expect(Duration(text: text) == nil)
    }
}

@Suite struct StoryTextTests {
    private func play(_ steps: String) throws -> Story {
        let head = "name: In words\nstarts: 2026-03-10 23:30\nzone: Europe/Istanbul\nsteps:\n"
        return try Simulator().play(try ScenarioReader().read(head + steps, file: "words.yaml"))
    }

    @Test("A failed run is described by file and line, its last steps, and the expected and found values")
    func failed() throws {
        let story = try play("- create: A\n- advance: 1h\n- expect:\n    inbox: [A, A]\n- undo\n")
        #expect(
            story.description == """
                words.yaml:8: inbox
                  the steps so far:
                    1  2026-03-10 23:30 Europe/Istanbul  create: A
                    2  2026-03-11 00:30 Europe/Istanbul  advance: 1h
                    3  2026-03-11 00:30 Europe/Istanbul  expect: { inbox: [A, A] }  -> failed
                  expected:
                    [A, A]
                  found:
                    [A]
                """)
    }

    @Test("The description of a long run contains its last twelve steps")
    func long() throws {
        let story = try play(String(repeating: "- advance: 1m\n", count: 20) + "- expect: { tasks: 1 }\n")
        #expect(story.excerpt.first == "its last 12 steps:")
        #expect(story.excerpt[1] == "  10  2026-03-10 23:40 Europe/Istanbul  advance: 1m")
        #expect(story.excerpt.count == 1 + 12 + 4)
    }

    @Test("The description of a successful run is one line")
    func good() throws {
        #expect("\(try play("- create: A\n"))" == "words.yaml: In words: all expectations were met")
    }
}

@Suite struct ErrorTests {
    @Test("An error in a scenario names the file and the line")
    func namesPlace() {
        let error = SimulationError.scenario(file: "a.yaml", line: 7, problem: "There is no step 'creat'.")
        #expect(error.description == "a.yaml:7: There is no step 'creat'.")
    }
}
