import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The owners of sessions and questions, as far as a history proves them.
///
/// Servers may use the same session id for two principals. So a session belongs to the principals that got it when they
/// asked for a new one, and to those whose list had shown it before.
struct Ownership {
    private var created: [String: [String: Int]] = [:]
    private var listed: [String: [String: Int]] = [:]
    private var keys: [String: Set<String>] = [:]

    init(_ observations: Observations) {
        for (turn, request) in observations.requests {
            if let key = request.clientMessageId { keys[key, default: []].insert(request.principal) }
            guard request.sessionAsked == nil, let event = request.ack?.event ?? request.success ?? turn.firstSign
            else { continue }
            Self.note(request.ack?.sessionId ?? turn.sessionId, request.principal, event, in: &created)
        }
        for list in observations.listReads {
            guard let principal = list.principal else { continue }
            for id in list.ids { Self.note(id, principal, list.event, in: &listed) }
        }
    }

    /// The owners of a session with this id, each with the first event that shows it; empty without proof.
    func owners(of session: String) -> [String: Int] {
        guard var owners = created[session], let first = owners.values.min() else { return [:] }
        // It was listed before anyone in this history created it: an older session with the same id.
        for (principal, event) in listed[session] ?? [:] where event < first && owners[principal] == nil {
            owners[principal] = event
        }
        return owners
    }

    /// The event since which a session belongs to others and not to this principal; nil without proof.
    func foreign(_ session: String, to principal: String) -> Int? {
        let owners = owners(of: session)
        return owners[principal] == nil ? owners.values.min() : nil
    }

    func isForeign(key: String, to principal: String) -> Bool { keys[key].map { !$0.contains(principal) } ?? false }

    func foreignSessions(to principal: String, before event: Int) -> Set<String> {
        Set(created.keys).filter { (foreign($0, to: principal) ?? .max) < event }
    }

    private static func note(
        _ session: String?, _ principal: String, _ event: Int, in names: inout [String: [String: Int]]
    ) {
        guard let session else { return }
        names[session, default: [:]][principal] = min(names[session]?[principal] ?? event, event)
    }
}
