import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

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
        Check(.ENV, 24, framesGetOneError), Check(.ENV, 25, limitLeavesRoom),
        Check(.ENV, 26, refusalsComeInOrder), Check(.ENV, 27, validQuestionsAreNotMalformed),
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
            let isObject = value.objectValue != nil
            evidence.test(
                isObject && frame.type != nil, otherwise: "the server sent JSON that is not an object with a type",
                expected: "an object with a string 'type'",
                actual: isObject ? "'type' \(value["type"]?.typeName ?? "missing")" : value.typeName, at: [frame.event])
        }
    }

    /// ENV-2: "A server MUST send every frame of a type that this specification defines in a form that is valid against
    /// the schema of that type".
    ///
    /// The schema of `syncResult` covers the frames inside `missed`. What a schema says for another clause (`x-clause`) is
    /// judged there. Exercised once per frame of a known type.
    static func everyFrameIsValid(_ history: Observations, _ evidence: inout Evidence) {
        var tape = JSONTape()
        for frame in history.receivedOfKnownType {
            guard let value = frame.said, let type = frame.type else { continue }
            let name = history.schemas.name(of: value)
            let problem = history.schemas.validate(value, as: name, in: &tape).first { $0.clause == ClauseID(.ENV, 2) }
            evidence.test(no: problem) { problem in
                Finding(
                    "\(located(type, problem.instance)): \(problem.what)", expected: problem.expected,
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
            .notObject, "a JSON value that is not an object", with: ["parse_error", "bad_request"], history, &evidence)
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

    /// ENV-9: "A server MUST answer a frame of a known type that is not valid against the schema of that type, a `chat`
    /// whose last message is not the user's, and an `auth` after `connected` with an `error` of code `bad_request` and
    /// keep the connection open".
    ///
    /// Members that only a profile requires may be missing. An ill-formed `sessionId` is the matter of ID-8, a number spelled
    /// as a fraction may be taken or refused, and a number beyond 64 bits may be more than a parser reads.
    static func invalidFramesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        answered(.invalid, "a frame that its schema rejects", with: ["bad_request"], history, &evidence)
        answered(
            .invalidNumber, "a frame that its schema rejects", with: ["bad_request", "parse_error"], history, &evidence)
    }

    /// ENV-10: "A server MUST keep every other open connection usable whatever one client sends".
    ///
    /// Exercised by every connection that was open beside the message, and by the next one to be opened after it.
    static func otherConnectionsStayUsable(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames {
            for (index, connection) in history.connections.enumerated() where index != hostile.frame.connection {
                let before = connection.connected.map { $0 < hostile.frame.event } ?? false
                if before {
                    guard connection.isOpen(at: hostile.frame.event) else { continue }
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
            if case .duplicateKey(let key) = flaw.kind { "member '\(key)' is repeated" } else { nil }
        }
    }

    /// ENV-12: "A server MUST send only well-formed Unicode in frames and REST bodies: no lone surrogate escape, no
    /// invalid UTF-8".
    ///
    /// A body that is not UTF-8 breaks it too; a text message that is not UTF-8 is no text message (ENV-1).
    static func unicodeIsWellFormed(_ history: Observations, _ evidence: inout Evidence) {
        flawless(history, &evidence) { flaw in
            if case .loneSurrogate = flaw.kind { "an unpaired surrogate escape" } else { nil }
        }
        for exchange in history.exchanges {
            guard exchange.received?.bodyIsText == false else { continue }
            evidence.violate(
                "a REST body is not UTF-8", expected: "UTF-8 throughout", actual: "invalid bytes", at: exchange.events)
        }
    }

    /// ENV-13: "A server MUST write `seq`, `lastSeq`, counts, durations and sizes as JSON integer tokens from 0 to
    /// 9007199254740991".
    ///
    /// Exercised once per frame or body that holds such a number.
    static func numbersAreIntegerTokens(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ value: JSONValue, at events: @autoclosure () -> [Int]) {
            let members = IntegerMembers(in: value)
            evidence.test(no: members.bad, keptIf: members.exist) { bad in
                Finding(
                    "\(bad.place) is not an integer", expected: "an integer from 0 to 9007199254740991",
                    actual: shown(bad.value.text()), at: events())
            }
        }
        for frame in history.receivedOfKnownType {
            if let value = frame.value { judge(value, at: [frame.event]) }
        }
        for exchange in history.exchanges where exchange.route != .other {
            guard let root = exchange.answer?.root else { continue }
            judge(root, at: exchange.events)
        }
    }

    // MARK: What several clauses of the envelope ask in the same way

    /// Judges that each hostile message of a kind gets one of the codes and that its connection lives on.
    private static func answered(
        _ kind: HostileFrame.Kind, _ what: String, with codes: Set<String>, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        let expected = "an error with \(listed(codes))"
        for hostile in history.hostileFrames where hostile.kind == kind {
            let event = hostile.frame.event
            let survival = history.survival(of: hostile)
            if kind == .binary, mayClose(hostile.frame, history) { continue }
            guard let answer = hostile.answer else {
                if let taken = hostile.taken {
                    evidence.violate(
                        "\(what) was accepted", expected: expected, actual: "something else", at: [event, taken])
                } else if case .dead(let end) = survival {
                    evidence.violate(
                        "the connection ended after \(what)", expected: "\(expected), and the connection stays open",
                        actual: "no error", at: [event, end])
                } else if let end = history.deadline(
                    after: event, within: history.timeouts.error, on: hostile.frame.connection)
                {
                    let connection = history.connections[hostile.frame.connection]
                    let next = connection.received.first { $0.event > event && $0.event < end }
                    evidence.violate(
                        "\(what) got no error", expected: expected,
                        actual: next.map { "no error; the next frame was \(called($0))" } ?? "nothing",
                        at: [event, end])
                }
                continue
            }
            guard let code = answer.code, codes.contains(code) else {
                evidence.violate(
                    "\(what) got the wrong error", expected: expected, actual: called(answer),
                    at: [event, answer.event])
                continue
            }
            switch survival {
            case .alive: evidence.keep()
            case .unknown: continue
            case .dead(let end):
                evidence.violate(
                    "the connection did not survive \(what)", expected: "the connection stays open and answers",
                    actual: "it ended or fell silent", at: [event, answer.event, end])
            }
        }
    }

    /// Text that is not UTF-8 is recorded as bytes, and closing with 1007 answers it legally.
    private static func mayClose(_ frame: Frame, _ history: Observations) -> Bool {
        guard case .binary(_, let bytes) = history.events[frame.event].kind,
            case .closed(.fromServer, 1007) = history.connections[frame.connection].ending?.kind
        else { return false }
        return String(utf8: bytes) == nil
    }

    /// Counts what a server did with a valid message.
    static func count(_ reception: Reception, of what: String, from event: Int, in evidence: inout Evidence) {
        let expected = "the usual answer"
        switch reception {
        case .taken: evidence.keep()
        case .rejected(let end):
            evidence.violate("\(what) was refused", expected: expected, actual: "refused", at: [event, end])
        case .ignored(let end):
            evidence.violate("\(what) was not answered", expected: expected, actual: "nothing", at: [event, end])
        case .open: break
        }
    }

    /// Judges every frame and body by one kind of flaw; the closure says what is wrong, or nil.
    private static func flawless(
        _ history: Observations, _ evidence: inout Evidence, _ objection: (JSONFlaw) -> String?
    ) {
        func judge(_ flaws: [JSONFlaw]?, at events: @autoclosure () -> [Int]) {
            guard let flaws else { return }
            if flaws.isEmpty { return evidence.keep() }
            let first = flaws.compactMap { flaw in objection(flaw).map { (what: $0, flaw: flaw) } }.first
            evidence.test(no: first) { what, flaw in
                Finding(
                    "\(what) at \(flaw.location)", expected: "none",
                    actual: flaw.pointer.isRoot ? "in the message" : "at \(flaw.pointer)", at: events())
            }
        }
        for frame in history.received { judge(frame.flaws, at: [frame.event]) }
        for exchange in history.exchanges where exchange.received?.bodyIsText == true {
            judge(exchange.answer?.flaws, at: exchange.events)
        }
    }

    /// Judges a connection that was open while another one sent a hostile message.
    private static func bystander(
        _ index: Int, of hostile: HostileFrame, _ history: Observations, _ evidence: inout Evidence
    ) {
        let connection = history.connections[index]
        let event = hostile.frame.event
        let ping = connection.sent.first { $0.event > event && $0.type == "ping" }
        if connection.received.contains(where: { $0.event > ping?.event ?? event }) { return evidence.keep() }
        if let ending = connection.ending, connection.wasEndedByServer {
            let sentHostile = history.hostileFrames.contains {
                $0.frame.connection == index && $0.frame.event < ending.event
            }
            // Who does not read answers no ping.
            guard !sentHostile, connection.pauses.isEmpty, !ending.isExcused,
                !history.wasStopped(between: event, and: ending.event)
            else {
                return
            }
            evidence.violate(
                "a frame of one client ended another client's connection", expected: "it stays open",
                actual: "the server ended connection \(connection.device)", at: [event, ending.event])
        } else if let ping, let end = history.deadline(after: ping.event, within: history.timeouts.pong, on: index) {
            evidence.violate(
                "a frame of one client silenced another client's connection", expected: "pong", actual: "nothing",
                at: [event, ping.event, end])
        }
    }

    /// Judges the first connection that was asked for after a hostile message.
    private static func newcomer(
        _ index: Int, after hostile: HostileFrame, _ history: Observations, _ evidence: inout Evidence
    ) {
        let connection = history.connections[index]
        let event = hostile.frame.event
        guard connection.isWhole, !history.wasStopped(between: event, and: connection.opening) else { return }
        if connection.connected != nil { return evidence.keep() }
        if let refused = connection.refused {
            guard case .refused(let status, _) = history.events[refused].kind, status ?? 500 >= 500 else { return }
            evidence.violate(
                "the server accepts no connection after a hostile frame", expected: "an upgrade",
                actual: status.map { "HTTP \($0)" } ?? "no connection", at: [event, connection.opening, refused])
            return
        }
        guard let auth = connection.auth else { return }
        if let ending = connection.ending, connection.wasEndedByServer {
            if case .closed(.fromServer, let code?) = ending.kind, code >= 4000 || ending.isAtWill { return }
            evidence.violate(
                "a new connection ended after a hostile frame on another one", expected: "connected", actual: "the end",
                at: [event, ending.event])
        } else if let end = history.deadline(after: auth, within: history.timeouts.connect, on: index) {
            evidence.violate(
                "a new connection was not answered after a hostile frame on another one", expected: "connected",
                actual: "nothing",
                at: [event, auth, end])
        }
    }
}
