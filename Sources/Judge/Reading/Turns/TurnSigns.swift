import Holdfast
import HoldfastTranscript

extension ObservedTurn {
    var session: String? { sessionId ?? sessionAsked }
    /// The first event that shows its acceptance.
    var firstSign: Int? { earliest(firstFrame, copies.first?.event, replayed.earliest?.event, response) }
    /// The event of the first live frame that shows its acceptance.
    var firstFrame: Int? { earliest(acks.first?.event, frames.first?.event, endings.first?.event) }
    /// The first event that shows that it was accepted and is running, not before `event`; `event` if there is none.
    func firstSignOfRunning(since event: Int) -> Int {
        max(event, earliest(acks.first?.event, frames.first?.event) ?? event)
    }

    var allFrames: [Frame] { acks + frames + endings + copies + replayed }
    var toolUses: [Frame] { frames.filter { $0.kind == .toolUse } }
    var dones: [Frame] { (endings + copies + replayed).filter { $0.kind == .done } }
    /// The accepted request: the one whose `ack` is not a copy, else the first that was not refused.
    var accepted: ObservedRequest {
        guard requests.count > 1 else { return request }
        let unrefused = requests.filter { $0.refusal == nil }
        return unrefused.first { $0.ack.map { !$0.isDuplicate } == true } ?? unrefused.first ?? request
    }
    /// A name to distinguish it: the key of its question, its id, or its text.
    var title: String {
        clientMessageId.map { "the question \(shown($0))" } ?? turnId.map { "turn \(shown($0))" }
            ?? "the question \(request.excerpt)"
    }
    var isScriptedToFail: Bool { request.script.contains { $0["fail"] != nil } }

    /// Whether it was certainly accepted before another turn: sent before it on the same connection, or answered before
    /// the other was sent.
    ///
    /// If a question was asked again, its first request may have been refused unseen, or overtaken.
    func precedes(_ other: ObservedTurn) -> Bool {
        let (one, two) = (accepted, other.accepted)
        if let connection = one.connection, connection == two.connection, isKnownToStart(with: one),
            other.isKnownToStart(with: two)
        {
            return one.event < two.event
        }
        return firstSign.isBefore(two.event) || ended.isBefore(two.event)
    }

    /// Whether this request was certainly the accepted one of its key: it has the only ack that is not a copy.
    private func isKnownToStart(with request: ObservedRequest) -> Bool {
        requests.count == 1
            || requests.filter { $0.ack.map { !$0.isDuplicate } ?? false }.map(\.event) == [request.event]
    }

    /// Whether a request may have been refused unseen, because its key was also used in another session.
    func mayBeRefusedUnseen(_ request: ObservedRequest, by sign: Int) -> Bool {
        request.ack == nil && sessionId != request.sessionAsked
            && requests.contains { $0.event < sign && $0.sessionAsked != request.sessionAsked }
    }

    func overlaps(_ other: ObservedTurn) -> Bool {
        guard event != other.event else { return false }
        let (first, second) = event < other.event ? (self, other) : (other, self)
        return first.ended.map { $0 > second.event } ?? true
    }
}

extension ObservedRequest {
    var excerpt: String { "'\(prompt.prefix(40))'" }

    /// The difference in form between the content here and in an earlier request; nil if there is none.
    func formDifference(from first: ObservedRequest) -> String? {
        guard content != first.content, MessageContent.isSame(content, as: first.content) else { return nil }
        let forms = [first.content, content].map { content in
            content?.arrayValue.map { $0.count == 1 ? "one part" : "\($0.count) parts" } ?? "a string"
        }
        return forms[0] == forms[1]
            ? "the content is the same except for undefined members"
            : "the content is the same: first \(forms[0]), then \(forms[1])"
    }
}

extension Frame {
    func isOf(_ one: Kind, _ two: Kind, _ three: Kind? = nil, _ four: Kind? = nil) -> Bool {
        kind == one || kind == two || kind == three || kind == four
    }

    /// Whether it ends a turn, or is a copy of such a frame.
    var isEnding: Bool { kind == .done || kind == .error }

    /// The part of a numbered frame that is compared: its type and ids.
    var identity: String {
        let ids = [sessionId, turnId, messageId].map { $0 ?? "-" }
        return "\(type ?? "frame") of session \(ids[0]), turn \(ids[1]), message \(ids[2])"
    }
}

extension Observations {
    var requests: some Sequence<(turn: ObservedTurn, request: ObservedRequest)> {
        turns.lazy.flatMap { turn in turn.requests.lazy.map { (turn: turn, request: $0) } }
    }

    func exchange(of request: ObservedRequest) -> ObservedExchange? {
        if case .exchange(let index) = request.origin { exchanges[index] } else { nil }
    }

    /// The size of a request in bytes: of its frame on the wire or its body; nil if it is unknown.
    func size(of request: ObservedRequest) -> Int? {
        if let exchange = exchange(of: request) { return exchange.sent.body?.utf8.count }
        return frames[request.event]?.wireBytes
    }

    /// The smallest announced `limits.maxFrameBytes`; without any, a common value.
    var minFrameLimit: Int { frameLimits.map(\.bytes).min() ?? 983_040 }

    var frameLimits: [(at: Int, bytes: Int)] {
        connections.compactMap { connection in
            connection.connected.flatMap { at in connection.limit("maxFrameBytes").map { (at, $0) } }
        }.sorted { $0.at < $1.at }
    }

    func frameLimit(before event: Int) -> Int? { frameLimits.last { $0.at < event }?.bytes }

    func mayBeTooLarge(_ request: ObservedRequest) -> Bool {
        guard let limit = frameLimit(before: request.event) else { return true }
        return size(of: request).map { $0 > limit } ?? true
    }

    func isTooLarge(_ request: ObservedRequest) -> Bool {
        guard let limit = request.connection.flatMap({ connections[$0].limit("maxFrameBytes") }) else { return false }
        return size(of: request).map { $0 > limit } ?? false
    }

    func isOverBudget(_ request: ObservedRequest) -> Bool {
        let entry = rateLedger.entries.first { $0.request.event == request.event }
        return entry.map { rateLedger.spender(before: $0) != nil } ?? false
    }

    func principal(of frame: Frame) -> String { connections[frame.connection].principal }

    /// Whether another turn of a session may have run when this one was requested, or before it was decided.
    ///
    /// A question that was neither refused nor answered may have been accepted, and either of two questions in transit
    /// may be first.
    func mayBeBusy(_ session: String?, at turn: ObservedTurn) -> Bool {
        let decided = turn.ended ?? turn.request.refusal ?? .max
        return turns.contains { other in
            other.ended ?? .max > turn.event && other.event != turn.event && other.event < decided
                && other.session == session && other.principal == turn.principal && !turn.precedes(other)
                && (!other.isRefused || other.requests.contains { $0.refusal ?? 0 > turn.event })
        }
    }
}
