/// The views whose order is compared.
enum PeerView: CaseIterable {
    case today, upcoming
}
