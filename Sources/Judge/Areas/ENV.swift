import Holdfast
import JSON
import Transcript

/// Checks of the envelope: what one message looks like, and what happens when it does not look like that.
enum ENV {
    static let checks: [Check] = [
        Check(.ENV, 1, everyTextIsATypedObject), Check(.ENV, 2, everyFrameIsValid),
        Check(.ENV, 3, malformedTextIsAnswered), Check(.ENV, 4, otherValuesAreAnswered),
        Check(.ENV, 5, untypedObjectsAreAnswered), Check(.ENV, 6, binaryMessagesAreAnswered),
        Check(.ENV, 7, unknownTypesAreAnswered), Check(.ENV, 8, unknownMembersAreIgnored),
        Check(.ENV, 9, invalidFramesAreAnswered), Check(.ENV, 10, otherConnectionsStayUsable),
        Check(.ENV, 11, namesAreGivenOnce), Check(.ENV, 12, unicodeIsWellFormed),
        Check(.ENV, 13, numbersAreIntegerTokens), Check(.ENV, 14, textsComeBackAsGiven),
        Check(.ENV, 15, framesUpToTheLimitAreAccepted), Check(.ENV, 16, largerMessagesAreRefused),
        Check(.ENV, 17, messagesStaySmall), Check(.ENV, 18, fragmentsAreOneMessage),
        Check(.ENV, 19, errorsHaveACode),
        Check(.ENV, 21, clientFramesAreValid), Check(.ENV, 22, unknownMembersChangeNothing),
        Check(.ENV, 23, unknownTypesAreIgnored),
        Check(.ENV, 24, framesGetOneError),
    ]

    /// ENV-1: "A server MUST send every WebSocket text message as exactly one JSON object, in UTF-8, with a string
    /// member `type`".
    ///
    /// Names given twice and broken Unicode have clauses of their own. Exercised once per message.
    static func everyTextIsATypedObject(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received {
            guard !frame.isBinary, let value = frame.value else {
                evidence.violate(
                    frame.isBinary ? "the server sent a binary message" : "the server sent a text that is not JSON",
                    expected: "one JSON object in a text message",
                    actual: frame.isBinary
                        ? "a binary message" : history.frames[frame.event]?.problem?.description ?? "no JSON",
                    at: [frame.event])
                continue
            }
            if value.objectValue == nil || frame.type == nil {
                evidence.violate(
                    "the server sent a text that is no object with a type", expected: "an object with a string 'type'",
                    actual: value.objectValue == nil
                        ? value.typeName : "'type' \(value["type"]?.typeName ?? "missing")", at: [frame.event])
            } else {
                evidence.keep()
            }
        }
    }

    /// ENV-2: "A server MUST send every frame of a type that this specification defines in a form that is valid against
    /// the schema of that type".
    ///
    /// The schema of `syncResult` covers the frames inside `missed`. What a schema says for another clause (`x-clause`) is
    /// judged there. Exercised once per frame of a known type.
    static func everyFrameIsValid(_ history: Observations, _ evidence: inout Evidence) {
        let known = Set(history.schemas.types(sentBy: .server))
        for frame in history.received {
            guard let value = frame.said, let type = frame.type, known.contains(type) else { continue }
            let name = history.schemas.name(of: value)
            let problem = history.schemas.validate(value, as: name).first { $0.clause == ClauseID(.ENV, 2) }
            evidence.test(no: problem) { problem in
                Finding(
                    "\(type) \(problem.instance): \(problem.what)", expected: problem.expected,
                    actual: shown(value[problem.instance]?.text()), at: [frame.event])
            }
        }
    }

    /// ENV-3: "A server MUST answer a text message that is not well-formed JSON with an `error` of code `parse_error`
    /// or `bad_request` and keep the connection open".
    static func malformedTextIsAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(.notJSON, "a text that is not JSON", with: ["parse_error", "bad_request"], history, &evidence)
    }

    /// ENV-4: "A server MUST answer a text message whose JSON value is not an object (`null`, an array, a string, a
    /// number, a Boolean) with an `error` of code `parse_error` or `bad_request` and keep the connection open".
    static func otherValuesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(
            .notObject, "a JSON value that is no object", with: ["parse_error", "bad_request"], history, &evidence)
    }

    /// ENV-5: "A server MUST answer a JSON object whose `type` is missing or not a string with an `error` of code
    /// `bad_request`, `parse_error` or `unknown_type` and keep the connection open".
    static func untypedObjectsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(
            .untyped, "an object without a type", with: ["bad_request", "parse_error", "unknown_type"], history,
            &evidence)
    }

    /// ENV-6: "A server MUST answer a binary message with an `error` of code `bad_request` or `parse_error` and keep
    /// the connection open".
    ///
    /// Bytes that are not UTF-8 may have been a text message: then close 1007 is legal (ENV-20).
    static func binaryMessagesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(.binary, "a binary message", with: ["bad_request", "parse_error"], history, &evidence)
    }

    /// ENV-7: "A server MUST answer a frame whose `type` it does not know with an `error` of code `unknown_type` and
    /// keep the connection open".
    static func unknownTypesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(.unknownType, "a frame of an unknown type", with: ["unknown_type"], history, &evidence)
    }

    /// ENV-8: "A server MUST ignore members that it does not know in a frame or request body that is otherwise valid".
    ///
    /// Refusals for another reason (`busy`, `rate_limited`) say nothing about the members and do not count.
    static func unknownMembersAreIgnored(_ history: Observations, _ evidence: inout Evidence) {
        let hostile = Set(history.hostileFrames.map(\.frame.event))
        for frame in history.sent {
            let connection = history.connections[frame.connection]
            guard let value = frame.value, let type = frame.type, UnknownMembers.exist(in: value, as: type),
                let connected = connection.connected, frame.event > connected, !hostile.contains(frame.event)
            else { continue }
            count(history.reception(of: frame), of: "a \(type) with unknown members", from: frame.event, in: &evidence)
        }
        for exchange in history.exchanges where exchange.isChat {
            guard let body = exchange.body, UnknownMembers.exist(in: body, as: "chatRequest"),
                history.coreSchemas.accepts(body, as: "chatRequest")
            else { continue }
            count(
                history.reception(of: exchange), of: "a request body with unknown members", from: exchange.request,
                in: &evidence)
        }
    }

    /// ENV-9: "A server MUST answer a frame of a known type that is not valid against the schema of that type, and a
    /// `chat` whose last message is not the user's, with an `error` of code `bad_request` and keep the connection
    /// open".
    ///
    /// Members that only a profile requires may be missing. An ill-formed `sessionId` is the matter of ID-8, and a number
    /// spelled as a fraction may be taken or refused.
    static func invalidFramesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(.invalid, "a frame that its schema rejects", with: ["bad_request"], history, &evidence)
    }

    /// ENV-10: "A server MUST keep every other open connection usable whatever one client sends".
    ///
    /// Exercised by every connection that was open beside the message, and by the next one to be opened after it.
    static func otherConnectionsStayUsable(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames {
            for (index, connection) in history.connections.enumerated() where index != hostile.frame.connection {
                let before = connection.connected.map { $0 < hostile.frame.event } ?? false
                if before {
                    guard connection.ending.map({ $0.event > hostile.frame.event }) ?? true else { continue }
                    bystander(index, of: hostile, history, &evidence)
                }
            }
            let next = history.connections.indices.first { history.connections[$0].opening > hostile.frame.event }
            if let next { newcomer(next, after: hostile, history, &evidence) }
        }
    }

    /// ENV-11: "A server MUST NOT send a JSON object that has two members of the same name".
    static func namesAreGivenOnce(_ history: Observations, _ evidence: inout Evidence) {
        flawless(history, &evidence) { flaw in
            if case .duplicateKey(let key) = flaw.kind { "'\(key)' comes twice" } else { nil }
        }
    }

    /// ENV-12: "A server MUST send only well-formed Unicode in frames and REST bodies: no lone surrogate escape, no
    /// invalid UTF-8".
    ///
    /// A body that is not UTF-8 breaks it too; a text message that is not UTF-8 is no text message (ENV-1).
    static func unicodeIsWellFormed(_ history: Observations, _ evidence: inout Evidence) {
        flawless(history, &evidence) { flaw in
            if case .loneSurrogate = flaw.kind { "a surrogate escape without its other half" } else { nil }
        }
        for exchange in history.exchanges {
            guard let response = exchange.response, exchange.received?.bodyIsText == false else { continue }
            evidence.violate(
                "a REST body is not UTF-8", expected: "UTF-8 throughout", actual: "invalid bytes",
                at: [exchange.request, response])
        }
    }

    /// ENV-13: "A server MUST write `seq`, `lastSeq`, counts, durations and sizes as JSON integer tokens from 0 to
    /// 9007199254740991".
    ///
    /// Exercised once per frame or body that holds such a number.
    static func numbersAreIntegerTokens(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ value: JSONValue, at events: [Int]) {
            let members = IntegerMembers.all(in: value)
            guard !members.isEmpty else { return }
            guard let bad = members.first(where: { !IntegerMembers.isInteger($0.value) }) else {
                return evidence.keep()
            }
            evidence.violate(
                "\(bad.place) is no integer token", expected: "an integer from 0 to 9007199254740991",
                actual: shown(bad.value.text()), at: events)
        }
        let known = Set(history.schemas.types(sentBy: .server))
        for frame in history.received {
            guard let value = frame.value, known.contains(frame.type ?? "") else { continue }
            judge(value, at: [frame.event])
        }
        for exchange in history.exchanges where exchange.route != .other {
            guard let response = exchange.response, let root = exchange.answer?.root else { continue }
            judge(root, at: [exchange.request, response])
        }
    }
}
