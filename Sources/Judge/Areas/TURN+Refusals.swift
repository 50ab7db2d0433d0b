import Holdfast
import Transcript

/// Whether a refusal says which question it refuses.
extension TURN {
    /// TURN-21: "A server MUST name in an `error` that refuses a valid `chat` after `connected` the `clientMessageId` of that
    /// `chat`, when it had one".
    ///
    /// Once for each `error` whose code, or the lack of everything else that it could be about, says that it refuses a `chat`,
    /// where each that it can be about has a key. A refusal for the rate is the matter of RATE-6 where that binds.
    static func refusalsNameTheirQuestion(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() {
            // Without a greeting nothing binds, and what was asked before a capture began may be what is refused.
            guard let greeting = connection.connected else { continue }
            let chats = connection.sent.filter { $0.type == "chat" && $0.event > greeting }
            guard !chats.isEmpty else { continue }
            var named: Set<Int> = []
            for error in connection.received where error.type == "error" && error.turnId == nil && error.seq == nil {
                let waiting = chats.filter { chat in
                    chat.event < error.event && !named.contains(chat.event)
                        && !history.isTaken(chat, before: error.event, on: index)
                }
                let own = waiting.first { $0.clientMessageId == error.clientMessageId && error.clientMessageId != nil }
                if let own { named.insert(own.event) }
                guard let first = waiting.first, history.refusesAChat(error, on: index),
                    own != nil || waiting.allSatisfy({ $0.clientMessageId != nil && history.isValid($0) }),
                    own != nil || !history.hostileFrames.contains(where: { $0.frame.connection == index })
                else { continue }
                evidence.test(
                    own != nil, otherwise: "a refusal does not name the chat that it refuses",
                    expected: "the clientMessageId of a chat that waits", actual: shown(error.clientMessageId),
                    at: [first.event, error.event])
            }
        }
    }
}

extension Observations {
    /// Codes that refuse nothing but a `chat`.
    private static let ofChats: Set<String> = ["session_not_found", "busy", "idempotency_mismatch"]
    /// Codes that refuse a `chat`, fail a turn, or tell of a trouble of the server; `interrupted` always ends a turn.
    private static let ofAnything: Set<String> = ["persist_failed", "internal"]

    /// Whether an `error` that names no turn surely refuses a `chat`.
    fileprivate func refusesAChat(_ error: Frame, on index: Int) -> Bool {
        let connection = connections[index]
        guard let code = error.code else { return false }
        if Self.ofChats.contains(code) { return true }
        // Where nothing says what a rate counts, it may be that of anything that waits for an answer.
        if code == "rate_limited" {
            return !profiles.contains(.rateLimit) && !hasAnotherWaiting(at: error.event, on: index)
        }
        let before = connection.sent.filter { $0.event < error.event }
        guard Self.ofAnything.contains(code), profiles.contains(.idempotency), error.sessionId == nil,
            before.allSatisfy({ ["auth", "chat", "ping"].contains($0.type) })
        else { return false }
        return !turns.contains { turn in
            turn.principal == connection.principal && turn.event < error.event && turn.isAccepted
                && turn.ended.map { $0 >= error.event } ?? true
        }
    }

    /// Whether the client had sent something besides its handshake and its questions that had no answer by an event.
    private func hasAnotherWaiting(at event: Int, on index: Int) -> Bool {
        let sent = connections[index].sent.filter { $0.event < event && !$0.isOf("auth", "chat") }
        let pings = pings(on: index).compactMap { ping in
            ping.pong.map { $0.event < event } == true ? ping.request.event : nil
        }
        let syncs = syncs.compactMap { sync in
            sync.result.map { $0.event < event } == true ? sync.request.event : nil
        }
        let answered = Set(pings + syncs)
        return sent.contains { !answered.contains($0.event) }
    }

    /// Whether a `chat` may not be refused for its form.
    fileprivate func isValid(_ chat: Frame) -> Bool {
        chat.document.map { $0.flaws.isEmpty && schemas.validate($0.root, as: "chat").isEmpty } ?? false
    }

    /// Whether a `chat` gave no reason for a refusal of this code.
    ///
    /// A session may be gone, one may be busy, a budget may be spent, a key may be used up, and an agent may have failed.
    func isNoReason(_ code: String, to request: ObservedRequest) -> Bool {
        if ["session_not_found", "busy", "rate_limited", "idempotency_mismatch", "agent_failed"].contains(code) {
            return false
        }
        return frames[request.event].map(isValid) == true
            && !hostileFrames.contains { $0.frame.event == request.event }
    }

    /// Whether the server had shown by an event that it took a `chat`: its `ack`, or a frame of its turn.
    fileprivate func isTaken(_ chat: Frame, before event: Int, on index: Int) -> Bool {
        turns.contains { turn in
            guard let request = turn.requests.first(where: { $0.event == chat.event }) else { return false }
            let frames = request.event == turn.event ? turn.frames + turn.endings : []
            return ([request.ack] + frames).contains { frame in
                frame.map { $0.event > chat.event && $0.event < event } ?? false
            }
        }
    }
}
