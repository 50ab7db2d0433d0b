import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Checks of the envelope: the form of messages, and the handling of malformed ones.
enum ENV {
    static let checks: [Check] = [
        Check(.ENV, 1, messagesAreStrictJSON),
        Check(.ENV, 2, everyFrameIsValid),
        Check(
            .ENV, 3, Rule(invalidMessagesAreAnswered),
            Rule(REST.malformedQuestionsAreBadRequests, needs: [.requestBodies])),
        Check(.ENV, 4, unknownMembersAreIgnored),
        Check(.ENV, 5, otherConnectionsStayUsable),
        Check(.ENV, 6, textsComeBackAsGiven),
        Check(
            .ENV, 7, Rule(framesUpToTheLimitAreAccepted), Rule(validQuestionsAreNotMalformed, needs: [.requestBodies]),
            Rule(REST.bodiesUpToTheLimitAreAccepted, needs: [.requestBodies])),
        Check(
            .ENV, 8, Rule(largerMessagesAreRefused),
            Rule(REST.largerBodiesAreRefused, needs: [.frames, .requestBodies])),
        Check(.ENV, 9, messagesStaySmall),
        Check(.ENV, 10, fragmentsAreOneMessage),
        Check(.ENV, 11, errorsHaveACode),
        Check(.ENV, 12, clientFramesAreValid),
        Check(.ENV, 13, unknownMembersAndTypesChangeNothing),
        Check(.ENV, 14, framesGetOneError, refusalsComeInOrder),
    ]

    /// ENV-1: "A server MUST send each WebSocket message as one frame, and write every frame and JSON body in strict
    /// JSON".
    ///
    /// Once per message and body. A REST body that is not JSON is judged by the clause about its request.
    static func messagesAreStrictJSON(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received { evidence.test(no: fault(in: frame, history)) }
        for exchange in history.exchanges {
            if exchange.received?.bodyIsText == false {
                evidence.violate(
                    "a REST body is not UTF-8", expected: "UTF-8 throughout", actual: "invalid bytes",
                    at: exchange.events)
            } else if let answer = exchange.answer {
                evidence.test(no: fault(answer.flaws, in: answer.root, "the body", history, at: exchange.events))
            }
        }
    }

    private static func fault(in frame: Frame, _ history: Observations) -> Finding? {
        guard !frame.isBinary, let value = frame.value else {
            return Finding(
                frame.isBinary ? "the server sent a binary message" : "the server sent a text that is not JSON",
                expected: "one JSON object in a text message",
                actual: frame.isBinary ? "a binary message" : frame.problem?.description ?? "no JSON", at: [frame])
        }
        guard let type = frame.type else {
            return Finding(
                "the server sent JSON that is not an object with a type", expected: "an object with a string 'type'",
                actual: value.objectValue == nil ? value.typeName : "'type' \(value["type"]?.typeName ?? "missing")",
                at: [frame.event])
        }
        return fault(frame.flaws ?? [], in: value, type, history, at: [frame.event])
    }

    /// Other problems of JSON: a duplicate name, a lone surrogate, or a number that must be written as an integer.
    private static func fault(
        _ flaws: [JSONFlaw], in value: JSONValue, _ name: String, _ history: Observations,
        at events: @autoclosure () -> [Int]
    ) -> Finding? {
        guard let flaw = flaws.first else {
            if history.schemaProblems.isEmpty { return nil }
            let events = events()
            return history.problem(at: events.last, of: ClauseID(.ENV, 1))
                .map { Finding($0, in: value, of: name, at: events) }
        }
        let what =
            switch flaw.kind {
            case .duplicateKey(let key): "member '\(key)' is repeated"
            case .loneSurrogate: "an unpaired surrogate escape"
            }
        return Finding(
            "\(what) at \(flaw.location)", expected: "none",
            actual: flaw.pointer.isRoot ? "in the message" : "at \(flaw.pointer)", at: events())
    }

    /// ENV-2: "A server MUST send every frame of a type that this specification defines in a form that is valid against
    /// the schema of that type".
    ///
    /// The schema of `syncResult` includes the frames in `missed`. Rules whose `x-clause` names another clause are
    /// judged by that clause. Once per frame of a known type.
    static func everyFrameIsValid(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.receivedOfKnownType {
            guard let value = frame.stated, let type = frame.type else { continue }
            let problem = history.problem(at: frame.event, of: ClauseID(.ENV, 2))
            evidence.test(no: problem) { Finding($0, in: value, of: type, at: [frame.event]) }
        }
    }

    /// ENV-3: "A server MUST answer each invalid message on an open connection, and each invalid request body, as
    /// chapter 4.1 says, and keep the connection open unless its row closes it".
    ///
    /// Members that only a profile requires may be missing. ID-5 judges an ill-formed `sessionId`; an integer written
    /// as a fraction may be accepted or refused.
    static func invalidMessagesAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames {
            guard let what = hostile.kind.words, !mayClose(hostile, history) else { continue }
            let (event, index) = (hostile.frame.event, hostile.frame.connection)
            let survival = history.survival(of: hostile)
            let expected = "an error with \(listed(hostile.kind.codes))"
            if let answer = hostile.answer {
                let isRight = answer.code.map(hostile.kind.codes.contains) == true
                let end = if case .dead(let end) = survival, isRight { end } else { (any HasEvent)?.none }
                let isAlive = if case .alive = survival { true } else { false }
                evidence.test(
                    isRight, keptIf: isAlive, otherwise: "\(what) got the wrong error", expected: expected,
                    actual: called(answer), at: [event, answer.event])
                guard let end else { continue }
                evidence.violate(
                    "the connection did not survive \(what)", expected: "the connection stays open and answers",
                    actual: "it ended or fell silent", at: [event, answer.event, end])
            } else if let taken = hostile.accepted {
                evidence.violate(
                    "\(what) was accepted", expected: expected, actual: "something else", at: [event, taken])
            } else if case .dead(let end) = survival {
                evidence.violate(
                    "the connection ended after \(what)", expected: "\(expected), and the connection stays open",
                    actual: "no error", at: [event, end])
            } else if let end = history.deadline(after: event, within: history.timeouts.error, on: index) {
                let next = history.connections[index].received.between(event, end.event).first
                evidence.violate(
                    "\(what) got no error", expected: expected,
                    actual: next.map { "no error; the next frame was \(called($0))" } ?? "nothing", at: [event, end])
            }
        }
    }

    /// Whether the server closed with 1007, as it may after text that is not UTF-8; the stage records it as bytes.
    private static func mayClose(_ hostile: HostileFrame, _ history: Observations) -> Bool {
        guard hostile.kind == .binary, case .binary(_, let bytes) = history.events[hostile.frame.event].kind,
            case .closed(.fromServer, 1007) = history.connections[hostile.frame.connection].ending?.kind
        else { return false }
        return String(utf8: bytes) == nil
    }

    /// ENV-4: "A server MUST ignore members that it does not know in a frame or request body that is otherwise valid".
    ///
    /// Refusals for another reason (`busy`, `rate_limited`) say nothing about the members and do not count.
    static func unknownMembersAreIgnored(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.sent where history.hostileKind(of: frame.event) == nil {
            guard let value = frame.value, let type = frame.type, UnknownMembers.exist(in: value, as: type),
                history.connections[frame.connection].isGreeted(before: frame.event)
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

    /// ENV-5: "A server MUST keep every other open connection usable whatever one client sends".
    ///
    /// Exercised by every other connection that was open during the message, and by the next one opened after it.
    static func otherConnectionsStayUsable(_ history: Observations, _ evidence: inout Evidence) {
        for hostile in history.hostileFrames {
            for (index, connection) in history.connections.enumerated() where index != hostile.frame.connection {
                let event = hostile.frame.event
                guard connection.isGreeted(before: event), connection.isOpen(at: event) else { continue }
                bystander(index, of: hostile, history, &evidence)
            }
            let next = history.connections.firstIndex { $0.opening.isAfter(hostile.frame.event) }
            if let next { newcomer(next, after: hostile, history, &evidence) }
        }
    }

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

    private static func bystander(
        _ index: Int, of hostile: HostileFrame, _ history: Observations, _ evidence: inout Evidence
    ) {
        let connection = history.connections[index]
        let event = hostile.frame.event
        let ping = connection.sent.first { $0.isAfter(event) && $0.kind == .ping }
        if !connection.received.after(ping?.event ?? event).isEmpty { return evidence.keep() }
        if let ending = history.unannouncedEnd(of: index, after: event) {
            // A peer that does not read answers no pings.
            if ending.isForAnotherReason && !ending.has(code: 4002) || !connection.pauses.isEmpty
                || history.sentHostile(on: index, before: ending.event)
            {
                return
            }
            evidence.violate(
                "a frame of one client ended another client's connection",
                byEnd: "the server ended connection \(connection.device)", at: [event, ending.event])
        } else if let ping, let end = history.deadline(after: ping.event, within: history.timeouts.pong, on: index) {
            evidence.violate(
                "a frame of one client silenced another client's connection", expected: "pong", actual: "nothing",
                at: [event, ping.event, end])
        }
    }

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
        if let ending = connection.endByServer() {
            if ending.isForAnotherReason { return }
            evidence.violate(
                "a new connection ended after a hostile frame on another one", expected: "connected", actual: "the end",
                at: [event, ending.event])
        } else if let end = history.deadline(after: auth, within: history.timeouts.connect, on: index) {
            evidence.violate(
                "a new connection was not answered after a hostile frame on another one", expected: "connected",
                actual: "nothing", at: [event, auth, end])
        }
    }
}

extension HostileFrame.Kind {
    /// Its name in findings; nil if a server may accept it, or if it is too large.
    fileprivate var words: String? {
        switch self {
        case .notJSON: "a text that is not JSON"
        case .notObject: "a JSON value that is not an object"
        case .untyped: "an object without a type"
        case .binary: "a binary message"
        case .unknownType: "a frame of an unknown type"
        case .invalid, .invalidNumber: "a frame that its schema rejects"
        case .oversize, .free: nil
        }
    }
}
