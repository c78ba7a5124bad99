import Daybook
import Observation

/// The offer to undo the last change, with the seconds that are left. One timer runs while there is an offer, and nothing
/// otherwise.
@MainActor @Observable
public final class UndoModel<Offer: UndoOffer>: LiveModel {
    /// The offer; nil for none, also when its time is over.
    public private(set) var offer: Offer?
    /// The seconds until the offer ends, rounded up; 0 without an offer.
    public private(set) var secondsLeft = 0

    @ObservationIgnored private let offers: LiveOffer<Offer>
    @ObservationIgnored private let undoOffer: @Sendable (Offer) async throws -> Void
    @ObservationIgnored private var countdown: Following?

    init(_ offers: LiveOffer<Offer>, _ undo: @escaping @Sendable (Offer) async throws -> Void) {
        (self.offers, undoOffer) = (offers, undo)
        super.init()
    }

    /// Takes the change back. Without an offer it does nothing.
    ///
    /// - Returns: Whether it was taken back; otherwise ``LiveModel/failure`` says why, if there was an offer.
    @discardableResult
    public func undo() async -> Bool {
        guard let offer else { return false }
        return await perform(as: .undo) { [undoOffer] in try await undoOffer(offer) } != nil
    }

    public override func stop() {
        super.stop()
        countdown = nil
    }

    override func start() {
        follow(offers) { [weak self] in self?.show($0) }
    }

    private func show(_ new: Offer?) {
        offer = new
        countdown = nil
        guard let new else { return secondsLeft = 0 }
        let clock = offers.clock
        secondsLeft = Self.seconds(until: new.deadline, by: clock)
        countdown = Following(
            Task.detached { [weak self] in
                while true {
                    let left = new.deadline.microseconds(since: clock.monotonic)
                    guard left > 0 else { return }
                    // Until a second less is left.
                    let pause = (left - 1) % 1_000_000 + 1
                    do {
                        try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: pause))
                    } catch {
                        return
                    }
                    await self?.tick(new, clock)
                }
            })
    }

    private func tick(_ shown: Offer, _ clock: any TimeSource) {
        guard offer == shown else { return }
        secondsLeft = Self.seconds(until: shown.deadline, by: clock)
    }

    private static func seconds(until deadline: MonotonicTime, by clock: any TimeSource) -> Int {
        Int(max(0, deadline.microseconds(since: clock.monotonic) + 999_999) / 1_000_000)
    }
}

extension UndoModel where Offer == UndoNotice {
    /// Follows the offers of a task list: those of the operations that were made through it, so give it the list of the session that
    /// the other models use.
    public convenience init(_ list: TaskList) {
        self.init(list.observeUndoNotice()) { try await list.undo($0) }
    }
}

extension UndoModel where Offer == ThreadUndoNotice {
    /// Follows the offers to undo the deletion of a thread: those of the deletions that were made through this journal.
    public convenience init(_ journal: Journal) {
        self.init(journal.observeUndoNotice()) { try await journal.undo($0) }
    }
}
