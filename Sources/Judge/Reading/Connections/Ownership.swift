import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Whose conversations and questions are whose, as far as a history proves it.
///
/// Servers may name the sessions of two principals alike. So the owner of a session is who was answered with it when asking
/// for a new one, and who was shown it before that. Where nothing names the question that a frame answers, it is who was
/// shown frames of the session and was not told over REST that there is none.
struct Ownership {
    private var created: [String: [String: Int]] = [:]
    private var shown: [String: [String: Int]] = [:]
    private var listed: [String: [String: Int]] = [:]
    private var denied: Set<OwnName> = []
    private var keys: [String: Set<String>] = [:]

    init(_ observations: Observations) {
        let connections = observations.connections
        for request in observations.turns.flatMap(\.requests) {
            if let key = request.clientMessageId { keys[key, default: []].insert(request.principal) }
            guard request.sessionAsked == nil else { continue }
            if let ack = request.ack, ack.clientMessageId == request.clientMessageId || ack.clientMessageId == nil {
                Self.note(ack.sessionId, request.principal, ack.event, in: &created)
            }
            if case .exchange(let index) = request.origin, let event = request.success {
                let session = observations.exchanges[index].answer?.root.id("sessionId")
                Self.note(session, request.principal, event, in: &created)
            }
        }
        for frame in observations.received where frame.type != "error" {
            Self.note(frame.sessionId, connections[frame.connection].principal, frame.event, in: &shown)
        }
        for list in observations.listReads {
            guard let principal = list.principal else { continue }
            for id in list.ids { Self.note(id, principal, list.event, in: &listed) }
        }
        for exchange in observations.exchanges where exchange.status == 404 || exchange.status == 403 {
            guard case .session(let id) = exchange.route, let principal = exchange.sent.principal else { continue }
            denied.insert(OwnName(id, of: principal))
        }
    }

    /// Who has a session of this name, each with the event that first showed it; empty when nothing proves it.
    func owners(of session: String) -> [String: Int] {
        var owners = created[session] ?? [:]
        if owners.isEmpty {
            owners = (shown[session] ?? [:]).filter {
                !denied.contains(OwnName(session, of: $0.key))
            }
        }
        guard let first = owners.values.min() else { return [:] }
        // NumberedFrame before anybody here made it: an older one of the same name.
        for (principal, event) in listed[session] ?? [:] where event < first && owners[principal] == nil {
            owners[principal] = event
        }
        return owners
    }

    /// The event since which a session belongs to others and not to this principal; nil when that is not proven.
    func foreign(_ session: String, to principal: String) -> Int? {
        let owners = owners(of: session)
        return owners[principal] == nil ? owners.values.min() : nil
    }

    /// Whether a key stands for a question of others only.
    func isForeign(key: String, to principal: String) -> Bool {
        keys[key].map { !$0.contains(principal) } ?? false
    }

    /// Every session that belongs to others and not to this principal, known before an event.
    func foreignSessions(to principal: String, before event: Int) -> Set<String> {
        Set(created.keys).union(shown.keys).filter { (foreign($0, to: principal) ?? .max) < event }
    }

    private static func note(
        _ session: String?, _ principal: String, _ event: Int, in names: inout [String: [String: Int]]
    ) {
        guard let session else { return }
        names[session, default: [:]][principal] = min(names[session]?[principal] ?? event, event)
    }
}
