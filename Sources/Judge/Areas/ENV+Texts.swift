import Holdfast
import JSON
import Transcript

/// Checks of the envelope that concern texts, sizes and fragments.
extension ENV {
    /// ENV-14: "A server MUST return the text of a message as it was given, code point by code point".
    ///
    /// A question is found by its ids; without any, the only question of a session this history began is meant.
    /// Exercised once per question and read, and by a `message` to the connection that asked (TURN-16 judges the others).
    static func textsComeBackAsGiven(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for turn in observations.turns where turn.isAccepted {
            let askers = turn.requests.compactMap(\.connection)
            for message in turn.frames where message.type == "message" && message.string("role") == "user" {
                guard askers.contains(message.connection), let text = message.text else { continue }
                if exactlyEqual(text, turn.request.prompt) {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a text came back changed", expected: shown(turn.request.prompt), actual: shown(text),
                            at: [turn.event, message.event]))
                }
            }
            let first = (turn.acks + turn.frames + turn.endings).map(\.event).min() ?? turn.response
            for read in observations.reads(of: turn) where read.request > first ?? .max {
                guard let index = observations.questionByName(of: turn, in: read) else { continue }
                let stored = read.messages[index].text
                if exactlyEqual(stored, turn.request.prompt) {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a text came back changed", expected: shown(turn.request.prompt), actual: shown(stored),
                            at: [turn.event, read.event]))
                }
            }
        }
        return evidence
    }

    /// ENV-15: "A server MUST accept a valid frame of any size up to the `limits.maxFrameBytes` it told in
    /// `connected`".
    ///
    /// Only a `chat` of more than half the limit puts it to the test; a smaller one counts when it is refused for its size.
    static func framesUpToTheLimitAreAccepted(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        let oversize = Set(observations.hostileFrames.filter { $0.kind == .oversize }.map(\.frame.event))
        for turn in observations.turns {
            for request in turn.requests {
                guard let index = request.connection, case let connection = observations.connections[index],
                    let limit = connection.greeting?["limits"]?["maxFrameBytes"]?.intValue,
                    let size = observations.history.frames[request.event]?.wireBytes,
                    !oversize.contains(request.event), request.event > connection.connected ?? .max
                else { continue }
                if request.refusalCode == "too_large", let refusal = request.refusal {
                    evidence.violate(
                        Finding(
                            "a frame within the limit was called too large",
                            expected: "at most \(limit) bytes are taken",
                            actual: "\(size) bytes refused", at: [request.event, refusal]))
                } else if case .closed(.fromServer, 1009) = connection.ending?.kind, let end = connection.ending?.event,
                    connection.sent.last(where: { $0.event < end })?.event == request.event, !turn.isAccepted
                {
                    evidence.violate(
                        Finding(
                            "the server closed on a frame within the limit",
                            expected: "at most \(limit) bytes are taken",
                            actual: "close 1009 after \(size) bytes", at: [request.event, end]))
                } else if size > limit / 2, turn.isAccepted {
                    evidence.keep()
                }
            }
        }
        return evidence
    }

    /// ENV-16: "A server MUST answer a message larger than `limits.maxFrameBytes` with an `error` of code `too_large`
    /// or by closing with 1009, within `close`".
    ///
    /// A reset can overtake the close frame, so a connection that was reset proves nothing.
    static func largerMessagesAreRefused(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for hostile in observations.hostileFrames where hostile.kind == .oversize {
            let event = hostile.frame.event
            let connection = observations.connections[hostile.frame.connection]
            let expected = "an error with 'too_large', or close 1009"
            if let answer = hostile.answer {
                if answer.code == "too_large" {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a message over the limit got another answer", expected: expected, actual: called(answer),
                            at: [event, answer.event]))
                }
            } else if let ending = connection.ending, connection.wasEndedByServer, ending.event > event {
                guard !observations.wasStopped(between: event, and: ending.event) else { continue }
                if case .closed(.fromServer, let code) = ending.kind {
                    if code == 1009 {
                        evidence.keep()
                    } else {
                        evidence.violate(
                            Finding(
                                "a message over the limit was answered by another close", expected: expected,
                                actual: "close \(code.map(String.init) ?? "without code")", at: [event, ending.event]))
                    }
                } else if case .eof(let reason) = observations.history.events[ending.event].kind, !reason.isEmpty {
                    evidence.doubt(
                        Finding(
                            "the connection was reset after a message over the limit", expected: expected,
                            actual: reason, at: [event, ending.event]))
                } else {
                    evidence.violate(
                        Finding(
                            "the connection ended without a word after a message over the limit", expected: expected,
                            actual: "the end of the socket", at: [event, ending.event]))
                }
            } else if let end = observations.deadline(
                after: event, within: observations.timeouts.close, on: hostile.frame.connection)
            {
                evidence.violate(
                    Finding(
                        "a message over the limit was not answered", expected: expected, actual: "nothing",
                        at: [event, end]))
            }
        }
        return evidence
    }

    /// ENV-17: "A server MUST NOT send a message of more than 1048576 bytes".
    ///
    /// Exercised once per message.
    static func messagesStaySmall(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for frame in observations.received {
            let size: Int
            switch observations.history.events[frame.event].kind {
            case .text(_, let text): size = observations.history.frames[frame.event]?.wireBytes ?? text.utf8.count
            case .binary(_, let bytes): size = bytes.count
            default: continue
            }
            if size <= 1_048_576 {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "\(called(frame)) is larger than clients read", expected: "at most 1048576 bytes",
                        actual: "\(size) bytes", at: [frame.event]))
            }
        }
        return evidence
    }

    /// ENV-18: "A server MUST treat a text message that arrives in several WebSocket fragments as the one message they
    /// form".
    ///
    /// The stage notes `fragments` on the connection before a message that it sends in pieces.
    static func fragmentsAreOneMessage(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        let hostile = Set(observations.hostileFrames.map(\.frame.event))
        for (event, note) in observations.history.events.enumerated() {
            guard case .act("fragments", _) = note.kind,
                let connection = observations.connections.last(where: {
                    .connection($0.device) == note.lane && $0.opening < event
                }),
                let frame = connection.sent.first(where: { $0.event > event }), !hostile.contains(frame.event)
            else { continue }
            count(observations.reception(of: frame), of: "a message in fragments", from: frame.event, in: &evidence)
        }
        return evidence
    }

    /// ENV-19: "A server SHOULD give every `error` frame a `code`".
    ///
    /// Exercised once per `error` frame.
    static func errorsHaveACode(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for frame in observations.received where frame.type == "error" {
            if frame.code != nil {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "an error without a code", expected: "a string 'code'", actual: shown(frame.value?.text()),
                        at: [frame.event]))
            }
        }
        return evidence
    }
}
