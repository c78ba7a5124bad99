import LabSupport
import Testing

@Suite struct FiguresTests {
    @Test(
        "A time has three significant digits",
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1000, "1 µs"), (1234, "1.23 µs"), (20_000, "20 µs"), (20_450, "20.5 µs"),
            (999_400, "999 µs"), (999_600, "1 ms"), (50_000_000, "50 ms"), (2_000_000_000, "2 s"),
            (12_345_000_000_000, "12345 s"),
        ] as [(Int64, String)])
    func aTimeHasThreeSignificantDigits(nanoseconds: Int64, text: String) {
        #expect(Figures.time(nanoseconds) == text)
    }

    @Test("Ratios, limits and factors have the documented precision")
    func ratiosLimitsAndFactorsHaveTheDocumentedPrecision() {
        #expect(
            [0, 0.984, 1, 9.994, 9.996, 99.94, 99.96, 2345].map(Figures.ratio) == [
                "0.00", "0.98", "1.00", "9.99", "10.0", "99.9", "100", "2,345",
            ])
        #expect(Figures.ratio(.infinity) == "∞")
        #expect(Figures.ratio(.nan) == "-")
        #expect([1.05, 2, 1.5].map(Figures.limit) == ["1.05", "2", "1.5"])
        // Rounded down.
        #expect([0.4, 5.55, 12.9, 2857, 30_450].map(Figures.times) == ["0.4×", "5.5×", "12×", "2,800×", "30,000×"])
        #expect(Figures.times(.infinity) == "∞×")
        #expect(Figures.fixed(-0.004, places: 2) == "0.00")
        #expect(Figures.fixed(-1.005, places: 1) == "-1.0")
    }

    @Test("Counts have their noun and separators")
    func countsHaveTheirNounAndSeparators() {
        #expect([0, 999, 1000, -1_234_567].map(Figures.grouped) == ["0", "999", "1,000", "-1,234,567"])
        #expect(Figures.perRun(200, runs: 100) == "2")
        #expect(Figures.perRun(5123, runs: 100) == "51.23")
        #expect(Figures.perRun(1, runs: 0) == "-")
        #expect(Figures.compact(99_999) == "99,999")
        #expect(Figures.compact(437_100) == "437k")
        #expect(Figures.compact(40_300_000) == "40.3M")
        #expect(Figures.bytes(1_830_912) == "1.83 MB")
        #expect(Figures.counted(1, "run") == "1 run")
    }
}
