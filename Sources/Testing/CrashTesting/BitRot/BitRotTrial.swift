/// A damage and the store that it is done to: one line of text replays exactly it.
struct BitRotTrial: Hashable, Sendable {
    /// What the content of the store follows from.
    var seed: UInt64
    var damage: PageDamage

    /// `rot|1|flip:12.331.4`
    var text: String { "rot|\(seed)|\(damage.text)" }

    init(seed: UInt64, damage: PageDamage) {
        self.seed = seed
        self.damage = damage
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "rot", let seed = UInt64(parts[1]), let damage = PageDamage(parts[2])
        else { return nil }
        self.init(seed: seed, damage: damage)
    }
}
