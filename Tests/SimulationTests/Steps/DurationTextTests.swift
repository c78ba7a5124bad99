import Simulation
import Testing

@Suite struct DurationTextTests {
    @Test("A duration reads back from its text", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<500 {
            let bits = Int.random(in: 0...54, using: &dice)
            let duration = Duration.microseconds(Int64.random(in: -(1 << bits)...(1 << bits), using: &dice))
            #expect(Duration(text: duration.text) == duration)
        }
    }

    @Test("Durations are written as people write them")
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
        "What is no duration is none",
        arguments: [
            "", "-", "3", "d", "3 d", "3d ", " 3d", "3d  2h", "--3d", "3d -2h", "3x", "3D", ".s", "1.2.3s", "1e3s",
            "infs", "nans",
            "370372d", "1000000000000000000000d", String(repeating: "300000d ", count: 400) + "1d",
        ])
    func malformed(text: String) {
        #expect(Duration(text: text) == nil)
    }
}
