import HoldfastJSON
import HoldfastTranscript

struct CaptureOwners {
    /// The act that names the owner of a connection, which is needed if its opening is not in the capture.
    static let act = "belongs"

    private var owners: [String: (name: String, isCertain: Bool)] = [:]

    mutating func open(_ lane: String, _ owner: String) { owners[lane] = (owner, false) }

    mutating func close(_ lane: String) { owners[lane] = nil }

    /// The act that must precede the next frame; nil if it was already made.
    ///
    /// A guess never replaces a known owner, and the first `auth` of a connection decides.
    mutating func note(_ lane: String, to owner: String, isCertain: Bool) -> Event.Kind? {
        let known = owners[lane]
        guard known == nil || isCertain && known?.isCertain == false else { return nil }
        owners[lane] = (owner, isCertain)
        if known?.name == owner { return nil }
        return .act(Self.act, ["to": .string(owner)])
    }
}

extension Event.Kind {
    /// The end of a connection, according to its code: a code that no frame can carry means that there was no close
    /// frame (RFC 6455, 7.4.1).
    ///
    /// If the closing side is unknown, 1000 and 1001 count as neither side's fault; only a server has a reason for
    /// other codes.
    static func ending(_ direction: Direction?, code: Int?, reason: String) -> Event.Kind {
        guard let code, ![1005, 1006, 1015].contains(code) else { return .eof(reason: reason) }
        return .close(direction ?? ([1000, 1001].contains(code) ? .toServer : .fromServer), code: code, reason: reason)
    }
}
