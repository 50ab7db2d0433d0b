import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of the envelope that concern texts, sizes and fragments.
extension ENV {
    /// ENV-14: "A server MUST return the text of a message as it was given, code point by code point".
    ///
    /// A question is found by its ids; without any, the only question of a session this history began is meant.
    /// Exercised once per question and read, and by a `message` to the connection that asked (TURN-16 judges the others).
    static func textsComeBackAsGiven(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.isAccepted {
            let askers = turn.requests.compactMap(\.connection)
            for message in turn.frames where message.type == "message" && message.string("role") == "user" {
                guard askers.contains(message.connection), let text = message.text else { continue }
                evidence.test(
                    text, is: turn.accepted.prompt, otherwise: "the server changed a text",
                    at: [turn.event, message.event])
            }
            for read in history.reads(of: turn) where read.request > turn.firstFrame ?? turn.response ?? .max {
                guard let index = history.question(of: turn, in: read) else { continue }
                evidence.test(
                    read.messages[index].text, is: turn.accepted.prompt, otherwise: "the server changed a text",
                    at: [turn.event, read.event])
            }
        }
    }

    /// ENV-15: "A server MUST accept a valid frame of any size up to the `limits.maxFrameBytes` it told in
    /// `connected`".
    ///
    /// Only a `chat` of more than half the limit puts it to the test; a smaller one counts when it is refused for its size.
    static func framesUpToTheLimitAreAccepted(_ history: Observations, _ evidence: inout Evidence) {
        let oversize = Set(history.hostileFrames.filter { $0.kind == .oversize }.map(\.frame.event))
        for (turn, request) in history.requests {
            guard let index = request.connection, case let connection = history.connections[index],
                let limit = connection.limit("maxFrameBytes"), let size = history.size(of: request),
                !oversize.contains(request.event),
                request.event > connection.connected ?? .max
            else { continue }
            let isRefused = request.refusalCode == "too_large"
            if let refusal = isRefused ? request.refusal : unread(request, on: connection, in: history) {
                evidence.violate(
                    "a frame within the limit was refused as too large",
                    expected: "frames of up to \(limit) bytes accepted",
                    actual: "\(size) bytes refused", at: [request.event, refusal])
            } else if case .closed(.fromServer, 1009) = connection.ending?.kind, let end = connection.ending?.event,
                connection.sent.last(where: { $0.event < end })?.event == request.event, !turn.isAccepted
            {
                evidence.violate(
                    "the server closed on a frame within the limit",
                    expected: "frames of up to \(limit) bytes accepted",
                    actual: "close 1009 after \(size) bytes", at: [request.event, end])
            } else if size > limit / 2, turn.isAccepted {
                evidence.keep()
            }
        }
    }

    /// The `error` that calls a message too large and names none, where it can be about no message but a question.
    private static func unread(
        _ request: ObservedRequest, on connection: ObservedConnection, in history: Observations
    ) -> Int? {
        guard request.ack == nil, request.refusal == nil else { return nil }
        let others = Set(history.hostileFrames.compactMap(\.answer?.event))
        let error = connection.received.first { frame in
            guard frame.type == "error", frame.code == "too_large", frame.event > request.event else { return false }
            return frame.turnId == nil && frame.clientMessageId == nil && !others.contains(frame.event)
        }
        guard let error, connection.sent.last(where: { $0.event < error.event })?.event == request.event else {
            return nil
        }
        return error.event
    }

    /// ENV-16: "A server MUST answer a message larger than `limits.maxFrameBytes` with an `error` of code `too_large`
    /// or by closing with 1009, within `close`".
    ///
    /// A reset can overtake the close frame, so a connection that was reset proves nothing.
    static func largerMessagesAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames where hostile.kind == .oversize {
            let event = hostile.frame.event
            let connection = history.connections[hostile.frame.connection]
            let expected = "an error with 'too_large', or close 1009"
            if let answer = hostile.answer {
                evidence.test(
                    answer.code == "too_large", otherwise: "a frame over the limit got the wrong error",
                    expected: expected, actual: called(answer), at: [event, answer.event])
            } else if let ending = connection.endByServer(after: event) {
                guard !history.wasStopped(between: event, and: ending.event) else { continue }
                if case .closed(.fromServer, let code) = ending.kind {
                    evidence.test(
                        code == 1009, otherwise: "a frame over the limit got the wrong close code",
                        expected: expected, actual: "close \(code.map(String.init) ?? "without code")",
                        at: [event, ending.event])
                } else if case .eof(let reason) = history.events[ending.event].kind, !reason.isEmpty {
                    evidence.doubt(
                        "the connection was reset after a frame over the limit", expected: expected, actual: reason,
                        at: [event, ending.event])
                } else {
                    evidence.violate(
                        "the connection ended without a close frame after a frame over the limit", expected: expected,
                        actual: "the end of the connection without a close frame", at: [event, ending.event])
                }
            } else if let end = history.deadline(
                after: event, within: history.timeouts.close, on: hostile.frame.connection)
            {
                evidence.violate(
                    "a frame over the limit was not answered", expected: expected, actual: "nothing",
                    at: [event, end])
            }
        }
    }

    /// ENV-17: "A server MUST NOT send a message of more than 1048576 bytes, nor a `message`, `toolUse`, `done` or `error`
    /// without `duplicate` of more than 1000000".
    ///
    /// Exercised once per message. What was too large for the stage itself is an act `cut` with `moreThan`.
    static func messagesStaySmall(_ history: Observations, _ evidence: inout Evidence) {
        for (event, note) in history.events.enumerated() {
            guard case .act("cut", let details) = note.kind, let bytes = details["moreThan"]?.intValue else { continue }
            // Nobody read what it was: a `sync` that still waited for its answer says so.
            let asked = history.syncs.last { sync in
                let connection = history.connections[sync.connection]
                return note.lane == .connection(connection.device) && sync.request.event < event && sync.result == nil
                    && connection.ending.map { $0.event >= event } ?? true
            }
            evidence.test(
                bytes < 1_048_576, otherwise: "a frame is larger than clients must read",
                expected: "at most 1048576 bytes", actual: "more than \(bytes) bytes",
                at: [asked?.request.event, event].compactMap(\.self))
        }
        for frame in history.received {
            let size: Int
            switch history.events[frame.event].kind {
            case .text(_, let text): size = history.frames[frame.event]?.wireBytes ?? text.utf8.count
            case .binary(_, let bytes): size = bytes.count
            default: continue
            }
            let isReplayable = frame.isOf("message", "toolUse", "done", "error") && !frame.isDuplicate
            let limit = isReplayable ? 1_000_000 : 1_048_576
            evidence.test(
                size <= limit,
                otherwise:
                    "\(called(frame)) is larger than \(isReplayable ? "a replay can contain" : "clients must read")",
                expected: "at most \(limit) bytes", actual: "\(size) bytes", at: [frame.event])
        }
    }

    /// ENV-25: "A server MUST NOT tell a `limits.maxFrameBytes` of more than 983040".
    static func limitLeavesRoom(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            guard let event = connection.connected, let limit = connection.limit("maxFrameBytes") else { continue }
            evidence.test(
                limit <= 983_040,
                otherwise: "the server accepts questions that do not fit into a message to other devices",
                expected: "at most 983040", actual: "\(limit)", at: [event])
        }
    }

    /// ENV-18: "A server MUST treat a text message that arrives in several WebSocket fragments as the one message they
    /// form".
    ///
    /// The stage notes `fragments` on the connection before a message that it sends in pieces.
    static func fragmentsAreOneMessage(_ history: Observations, _ evidence: inout Evidence) {
        let hostile = Set(history.hostileFrames.map(\.frame.event))
        for (event, note) in history.events.enumerated() {
            guard case .act("fragments", _) = note.kind,
                let connection = history.connections.last(where: {
                    .connection($0.device) == note.lane && $0.opening < event
                }), let frame = connection.sent.first(where: { $0.event > event }), !hostile.contains(frame.event)
            else { continue }
            count(history.reception(of: frame), of: "a message in fragments", from: frame.event, in: &evidence)
        }
    }

    /// ENV-19: "A server SHOULD give every `error` frame a `code`".
    ///
    /// Exercised once per `error` frame.
    static func errorsHaveACode(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.type == "error" {
            evidence.test(
                frame.code != nil, otherwise: "an error without a code", expected: "a string 'code'",
                actual: shown(frame.value?.text()), at: [frame.event])
        }
    }

    // MARK: Errors that outnumber what they answer

    /// ENV-24: "A server MUST NOT answer one frame with more than one `error`".
    ///
    /// Once for each `error` whose code refuses a frame and that ends no turn. It needs a frame before it on its connection
    /// that nothing else answered: no pong, no syncResult, no connected, no ack and no frame of its turn.
    static func framesGetOneError(_ history: Observations, _ evidence: inout Evidence) {
        let turns = history.turns
        let endings = Set(turns.flatMap { $0.endings + $0.copies }.map(\.event))
        var taken = Set(turns.flatMap(\.requests).filter { $0.refusal == nil && $0.ack != nil }.map(\.event))
        taken.formUnion(turns.filter(\.isAccepted).compactMap { history.original(of: $0)?.event })
        taken.formUnion(history.syncs.filter { $0.result != nil }.map(\.request.event))
        for (index, connection) in history.connections.enumerated() where connection.isWhole {
            let answered = Set(history.pings(on: index).filter { $0.pong != nil }.map(\.request.event))
            // One that could not be read was refused, and a later one was taken.
            let greeted = connection.connected.flatMap { connected in
                connection.sent.last { $0.type == "auth" && $0.event < connected }?.event
            }
            let open = connection.sent.map(\.event).filter {
                !taken.contains($0) && !answered.contains($0) && $0 != greeted
            }
            var count = 0
            for error in connection.received where refusesAFrame(error) && !endings.contains(error.event) {
                // What was too large for the server may have been too large for who recorded it.
                if history.isCapture, error.code == "too_large" { continue }
                // Where nothing was sent, it answers the silence.
                if error.code == "auth_failed", connection.sent.isEmpty, connection.connected == nil { continue }
                count += 1
                let frames = open.filter { $0 < error.event }
                evidence.test(
                    count <= frames.count, otherwise: "more errors than frames to refuse",
                    expected: "at most \(frames.count) on this connection so far", actual: "\(count)",
                    at: [frames.last ?? connection.opening, error.event])
                if count > frames.count { break }
            }
        }
    }

    /// Codes that only a frame can have that was not taken; `busy` and `rate_limited` may come later.
    private static let codes: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "too_large", "session_not_found", "idempotency_mismatch",
        "auth_failed", "not_authenticated", "unsupported_version",
    ]

    /// Whether an `error` says of one frame that it was not taken.
    private static func refusesAFrame(_ frame: Frame) -> Bool {
        guard frame.type == "error", frame.turnId == nil, frame.seq == nil, let code = frame.code else { return false }
        return codes.contains(code)
    }
}
