import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ENV {
    /// ENV-6: "A server MUST give a message's text the same in every frame, chat response and session read, and a
    /// question's content in reads the same as it was sent".
    ///
    /// Messages are found by their ids, keys or turns. Once per question or answer and read, and for each `message`.
    static func textsComeBackAsGiven(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            let reads = history.reads(of: turn)
            for (id, text, event) in reads.isEmpty ? [] : answers(to: turn, history) {
                for read in reads.asked(after: event) {
                    let named = id.flatMap { id in
                        read.messages.firstIndex { $0.id == id && $0.role == "assistant" }
                    }
                    guard let index = named ?? history.answer(of: turn, in: read) else { continue }
                    evidence.test(
                        text, is: read.messages[index].text,
                        otherwise: "the text of an answer differs from the stored one", at: [turn, event, read])
                }
            }
            if turn.isAccepted { questionComesBackAsGiven(turn, reads, history, &evidence) }
        }
    }

    private static func questionComesBackAsGiven(
        _ turn: ObservedTurn, _ reads: [ObservedSessionRead], _ history: Observations, _ evidence: inout Evidence
    ) {
        let asked = turn.accepted
        func test(_ text: String, at event: Int) {
            evidence.test(text, is: asked.prompt, otherwise: "the server changed a text", at: [turn.event, event])
        }
        for message in turn.frames where message.isQuestion {
            if let text = message.text { test(text, at: message.event) }
        }
        let since = turn.firstFrame ?? turn.response ?? .max
        for read in reads.asked(after: since) {
            guard let index = history.question(of: turn, in: read) else { continue }
            let text = read.messages[index].text
            test(text, at: read.event)
            let stored = read.session["messages"]?[index]?["content"]
            guard exactlyEqual(text, asked.prompt), !MessageContent.isSame(stored, as: asked.content) else { continue }
            evidence.violate(
                "the server changed the parts of a question", expected: shown(asked.content?.text()),
                actual: shown(stored?.text()), at: [turn.event, read.event])
        }
    }

    private static func answers(
        to turn: ObservedTurn, _ history: Observations
    ) -> [(id: String?, text: String, event: Int)] {
        let frames = (turn.endings + turn.copies).filter { $0.kind == .done }
        let responses = turn.requests.compactMap(\.success)
        return frames.compactMap { done in done.text.map { (done.messageId, $0, done.event) } }
            + responses.compactMap { event in
                let body = history.body(ofResponse: event)
                return body?["text"]?.stringValue.map { (body?.id("messageId"), $0, event) }
            }
    }

    /// ENV-7: "A server MUST NOT call a valid question malformed, nor refuse a valid frame or question of at most
    /// `limits.maxFrameBytes` bytes for its size".
    ///
    /// Only a `chat` of more than half the limit exercises this; a smaller one counts if it is refused for its size.
    static func framesUpToTheLimitAreAccepted(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            guard let index = request.connection, case let connection = history.connections[index],
                let limit = connection.limit("maxFrameBytes"), let size = history.size(of: request),
                history.hostileKind(of: request.event) != .oversize, connection.isGreeted(before: request.event)
            else { continue }
            let isRefused = request.refusalCode == "too_large"
            let nameless = request.ack == nil ? history.nameless(["too_large"], after: request) : nil
            if let refusal = isRefused ? request.refusal : nameless {
                evidence.violate(
                    "a frame within the limit was refused as too large",
                    expected: "frames of up to \(limit) bytes accepted",
                    actual: "\(size) bytes refused", at: [request.event, refusal])
            } else if let ending = connection.ending, ending.has(code: 1009), !turn.isAccepted,
                case let before = connection.sent.filter({ $0.isBefore(ending.event) }),
                before.last?.event == request.event,
                // The close may answer an earlier message over the limit.
                !before.contains(where: { history.hostileKind(of: $0.event) == .oversize })
            {
                evidence.violate(
                    "the server closed on a frame within the limit",
                    expected: "frames of up to \(limit) bytes accepted",
                    actual: "close 1009 after \(size) bytes", at: [request.event, ending.event])
            } else if size > limit / 2, turn.isAccepted {
                evidence.keep()
            }
        }
    }

    /// ENV-8: "A server MUST answer a message on an open connection, or a request body, of more than
    /// `limits.maxFrameBytes` bytes with `too_large`, or the message by closing with 1009, within `close`".
    ///
    /// A reset can overtake the close frame, so a reset connection proves nothing.
    static func largerMessagesAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames where hostile.kind == .oversize {
            let event = hostile.frame.event
            let expected = "an error with 'too_large', or close 1009"
            if let answer = hostile.answer {
                evidence.test(
                    answer.code == "too_large", otherwise: "a frame over the limit got the wrong error",
                    expected: expected, actual: called(answer), at: [event, answer.event])
            } else if let ending = history.unannouncedEnd(of: hostile.frame.connection, after: event) {
                if ending.isForAnotherReason { continue }
                if case .closed(.fromServer, let code) = ending.kind {
                    evidence.test(
                        code == 1009, otherwise: "a frame over the limit got the wrong close code",
                        expected: expected, actual: called(close: code), at: [event, ending.event])
                } else if case .eof(let reason) = history.events[ending.event].kind, !reason.isEmpty {
                    evidence.doubt(
                        "the connection was reset after a frame over the limit", expected: expected, actual: reason,
                        at: [event, ending.event])
                } else {
                    evidence.violate(
                        "the connection ended without a close frame after a frame over the limit", expected: expected,
                        actual: called(ending), at: [event, ending.event])
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

    /// ENV-9: "A server MUST NOT send a message of more than 1048576 bytes".
    ///
    /// Once per message. If it was too large for the stage itself, the stage's act `cut` has `moreThan`.
    static func messagesStaySmall(_ history: Observations, _ evidence: inout Evidence) {
        for (event, note) in history.events.enumerated() {
            guard case .act("cut", let details) = note.kind, let bytes = details["moreThan"]?.intValue else { continue }
            // The message's contents are unknown; an unanswered `sync` may explain it.
            let asked = history.syncs.last { sync in
                let connection = history.connections[sync.connection]
                return note.lane == .connection(connection.device) && sync.request.isBefore(event) && sync.result == nil
                    && connection.ending.map { !$0.isBefore(event) } ?? true
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
            evidence.test(
                size <= 1_048_576, otherwise: "\(called(frame)) is larger than clients must read",
                expected: "at most 1048576 bytes", actual: "\(size) bytes", at: [frame.event])
        }
    }

    /// ENV-10: "A server MUST treat a text message that arrives in several WebSocket fragments as the one message they
    /// form".
    ///
    /// The stage notes `fragments` on the connection before a message that it sends in pieces.
    static func fragmentsAreOneMessage(_ history: Observations, _ evidence: inout Evidence) {
        for (event, note) in history.events.enumerated() {
            guard case .act("fragments", _) = note.kind,
                let connection = history.connections.last(where: {
                    .connection($0.device) == note.lane && $0.opening < event
                }), let frame = connection.sent.first(where: { $0.isAfter(event) }),
                history.hostileKind(of: frame.event) == nil
            else { continue }
            count(history.reception(of: frame), of: "a message in fragments", from: frame.event, in: &evidence)
        }
    }

    /// ENV-11: "A server SHOULD give every `error` frame a `code`".
    static func errorsHaveACode(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.kind == .error {
            evidence.test(
                frame.code != nil, otherwise: "an error without a code", expected: "a string 'code'",
                actual: shown(frame.value?.text()), at: [frame.event])
        }
    }

    // MARK: More errors than frames

    /// ENV-14: "A server MUST NOT answer a frame with more than one `error`, nor refuse frames of one connection, for
    /// what they say, out of their order".
    ///
    /// Tested once for each `error` that refuses a frame and ends no turn. It needs an earlier frame on its connection
    /// without any other answer: no pong, no syncResult, no connected, no ack and no frame of its turn.
    static func framesGetOneError(_ history: Observations, _ evidence: inout Evidence) {
        let turns = history.turns
        let endings = Set(turns.flatMap { $0.endings + $0.copies }.map(\.event))
        var taken = Set(turns.flatMap(\.requests).filter { $0.refusal == nil && $0.ack != nil }.map(\.event))
        taken.formUnion(turns.filter(\.isAccepted).compactMap { $0.original?.event })
        taken.formUnion(history.syncs.filter { $0.result != nil }.map(\.request.event))
        for (index, connection) in history.connections.enumerated() where connection.isWhole {
            let answered = Set(history.pings(on: index).filter { $0.pong != nil }.map(\.request.event))
            // The last `auth` before `connected` was accepted; an earlier one was refused.
            let greeted = connection.connected.flatMap { connected in
                connection.sent.last { $0.kind == .auth && $0.isBefore(connected) }?.event
            }
            let open = connection.sent.map(\.event).filter {
                !taken.contains($0) && !answered.contains($0) && $0 != greeted
            }
            var count = 0
            for error in connection.received where error.isRefusal && !endings.contains(error.event) {
                guard let code = error.code, codes.contains(code) else { continue }
                // A frame that was too large for the server may also have been too large for the recorder.
                if history.isCapture, code == "too_large" { continue }
                // If nothing was sent, the error answers the silence.
                if code == "auth_failed", connection.sent.isEmpty, connection.connected == nil { continue }
                count += 1
                let frames = open.filter { $0.isBefore(error.event) }
                evidence.test(
                    count <= frames.count, otherwise: "more errors than frames to refuse",
                    expected: "at most \(frames.count) on this connection so far", actual: "\(count)",
                    at: [frames.last ?? connection.opening, error.event])
                if count > frames.count { break }
            }
        }
    }

    /// Codes that refuse a frame at once; `busy` and `rate_limited` may arrive later.
    private static let codes = Frame.refusalCodes.subtracting(["busy", "rate_limited", "auth_timeout"])
}
