/// The proleptic Gregorian calendar as integer arithmetic: no table, no loop, no branch on the century.
///
/// Years are counted from 1 March, so that the leap day is the last day of a year. 400 years are one full cycle of
/// 146,097 days. (The method is Howard Hinnant's "days from civil".)
package enum CalendarMath {
    static let daysPerCycle = 146_097
    static let yearsPerCycle = 400
    static let secondsPerDay = 86_400
    static let secondsPerCycle = daysPerCycle * secondsPerDay

    package struct Components: Equatable {
        package var year: Int
        package var month: Int
        package var day: Int
    }

    /// Days from 1970-01-01 to the date; `month` is 1...12, `day` may run past the month's end.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let cycle = floorDivide(marchYear, by: yearsPerCycle)
        let yearOfCycle = marchYear - cycle * yearsPerCycle
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        // 719,468 days are between 0000-03-01, where the cycle begins, and 1970-01-01.
        return cycle * daysPerCycle + dayOfCycle - 719_468
    }

    /// The date that is `days` after 1970-01-01.
    package static func components(days: Int) -> Components {
        let shifted = days + 719_468
        let cycle = floorDivide(shifted, by: daysPerCycle)
        let dayOfCycle = shifted - cycle * daysPerCycle
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return Components(
            year: yearOfCycle + cycle * yearsPerCycle + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    package static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days in the month; `month` is 1...12.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// ISO weekday, 1 (Monday) to 7; 1970-01-01 was a Thursday.
    package static func weekday(days: Int) -> Int {
        floorModulo(days + 3, by: 7) + 1
    }

    /// Division that rounds towards minus infinity; `divisor` is positive.
    @inline(__always)
    static func floorDivide(_ value: Int, by divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// The remainder of `floorDivide`, never negative; `divisor` is positive.
    @inline(__always)
    package static func floorModulo(_ value: Int, by divisor: Int) -> Int {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
