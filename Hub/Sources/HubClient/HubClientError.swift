import Sync

/// Why a hub was not reached, or did not do what was asked.
public enum HubClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address is none of a hub.
    case invalidAddress
    /// Plain HTTP to another machine.
    case insecureAddress
    /// The text is no pin of a certificate.
    case invalidPin
    /// The hub's certificate has another public key than the pinned one.
    case wrongCertificate(CertificatePin)
    /// No public authority vouches for the hub's certificate, or it is for another name.
    case untrustedCertificate
    /// No answer.
    case unreachable
    /// An answer that no hub gives: of a proxy, for example.
    case notAHub(status: Int)
    /// The hub said no.
    case refused(SyncRefusal)
    /// The space or the device exists with other keys.
    case conflict
    /// The invite is unknown, expired, or used.
    case invite
    /// The space does not have the device.
    case unknownDevice
    /// The hub asks for a registration token, and this is none.
    case registration
    /// The space has as many devices or open invites as it can have.
    case limit

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .invalidAddress: "This is not the address of a hub. It has the form https://HOST or https://HOST:PORT."
        case .insecureAddress: "Plain HTTP is accepted for loopback addresses only. Use https."
        case .invalidPin: "This is not a pin of a certificate. Copy it from the operator of the hub."
        case .wrongCertificate(let pin):
            """
            The hub's certificate has the pin \(pin), which is not the expected one. Somebody may be reading along; or the \
            hub has a new key: ask its operator, and join again with a new invite.
            """
        case .untrustedCertificate:
            "The hub's certificate is not vouched for by a public authority. Compare its pin with the operator's."
        case .unreachable: "The hub cannot be reached. Nothing is lost; sync continues when it is back."
        case .notAHub(let status):
            """
            What answers at this address is not a hub (status \(status)). Check the address, and whether this network wants you \
            to sign in first. Nothing is lost.
            """
        case .refused(let refusal): "The hub refused the request (\(refusal.status))."
        case .conflict: "The hub has this space or device with other keys."
        case .invite: "The invite is unknown, expired or used. Make a new one with `daybook sync invite`."
        case .unknownDevice: "The space does not have this device. `daybook sync devices` lists them."
        case .registration: "This hub asks for a registration token. Its operator has it."
        case .limit:
            "The space has as many devices or open invites as a hub keeps. Revoke a device, or wait ten minutes."
        }
    }

    /// Whether no hub has answered.
    var isOfNoHub: Bool {
        switch self {
        case .unreachable, .notAHub, .wrongCertificate, .untrustedCertificate: true
        default: false
        }
    }

    /// What sync does about it: everything that is not the hub's own refusal is waited out.
    package var refusal: SyncRefusal {
        if case .refused(let refusal) = self { refusal } else { .unavailable }
    }
}
