import Foundation
import TestSupport
import Testing

@testable import Sync

@Suite struct WireTests {
    private func unit(_ dice: inout Dice) -> SyncUnit {
        SyncUnit(
            record: UUID(high: dice.next(), low: dice.next()), unit: UInt16(dice.below(65_536)), key: dice.bytes(0...40),
            flags: .init(rawValue: UInt16(dice.below(4))), body: dice.bytes(0...300))
    }

    @Test func messagesReadBackAsWritten() throws {
        var dice = Dice(3)
        for _ in 0..<200 {
            let request = SyncRequest(
                epoch: dice.chance(50) ? UUID(high: dice.next(), low: dice.next()) : nil, pushNumber: dice.next(),
                after: Int64(bitPattern: dice.next()), units: (0..<dice.below(5)).map { _ in unit(&dice) })
            #expect(try SyncRequest(decoding: request.encoded) == request)
            let answer = SyncAnswer(
                epoch: UUID(high: dice.next(), low: dice.next()), results: [.accepted, .refused, .superseded],
                units: (0..<dice.below(5)).map { _ in
                    NumberedUnit(unit(&dice), sequence: Int64(bitPattern: dice.next()), device: dice.next())
                }, next: 4, head: -4, digest: dice.next(), time: .min)
            #expect(try SyncAnswer(decoding: answer.encoded) == answer)
        }
    }

    @Test func cutLongAndAlteredMessagesAreRefusedOrReadAsOthers() throws {
        var dice = Dice(5)
        let request = SyncRequest(
            epoch: UUID(high: 1, low: 2), pushNumber: 300, after: 70_000, units: (0..<4).map { _ in unit(&dice) })
        let bytes = request.encoded
        for count in 0..<bytes.count {
            #expect(throws: MalformedMessage.self) { try SyncRequest(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: MalformedMessage.self) { try SyncRequest(decoding: bytes + [0]) }
        for _ in 0..<20_000 {
            var altered = bytes
            altered[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
            // Never a crash, never the same message from other bytes.
            if let read = try? SyncRequest(decoding: altered) { #expect(read != request) }
        }
    }

    @Test func refusalsReadBackFromTheirStatus() {
        let all: [SyncRefusal] = [
            .malformed, .unauthorized, .forbidden, .unknownSpace, .epochChanged(UUID(high: 1, low: 2)), .forked, .tooLarge,
            .clockAhead(time: -5), .upgradeRequired, .busy(retryAfter: 7), .unavailable, .full,
        ]
        for refusal in all { #expect(SyncRefusal(status: refusal.status, body: refusal.encoded) == refusal) }
        #expect(SyncRefusal(status: 502, body: [1, 2, 3]) == .unavailable)
    }
}
