import Holdfast
import JSON
import Transcript

/// What several clauses of the envelope ask in the same way.
extension ENV {
    /// Judges that each hostile message of a kind gets one of the codes and that its connection lives on.
    static func answered(
        _ kind: HostileFrame.Kind, _ what: String, with codes: Set<String>, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        for hostile in history.hostileFrames where hostile.kind == kind {
            let event = hostile.frame.event
            let survival = history.survival(of: hostile)
            if kind == .binary, mayClose(hostile.frame, history) { continue }
            guard let answer = hostile.answer else {
                if let taken = hostile.taken {
                    evidence.violate(
                        "\(what) was taken", expected: "an error with \(listed(codes))", actual: "another answer",
                        at: [event, taken])
                } else if case .dead(let end) = survival {
                    evidence.violate(
                        "the connection ended after \(what)",
                        expected: "an error with \(listed(codes)), and the connection", actual: "no error",
                        at: [event, end])
                } else if let end = history.deadline(
                    after: event, within: history.timeouts.error, on: hostile.frame.connection)
                {
                    evidence.violate(
                        "\(what) was not answered", expected: "an error with \(listed(codes))", actual: "nothing",
                        at: [event, end])
                }
                continue
            }
            guard let code = answer.code, codes.contains(code) else {
                evidence.violate(
                    "\(what) got another answer", expected: "an error with \(listed(codes))", actual: called(answer),
                    at: [event, answer.event])
                continue
            }
            switch survival {
            case .alive: evidence.keep()
            case .unknown: continue
            case .dead(let end):
                evidence.violate(
                    "the connection did not outlive \(what)", expected: "the connection stays open and answers",
                    actual: "it ended or fell silent", at: [event, answer.event, end])
            }
        }
    }

    /// Text that is not UTF-8 is recorded as bytes, and closing with 1007 answers it legally.
    private static func mayClose(_ frame: ObservedFrame, _ history: Observations) -> Bool {
        guard case .binary(_, let bytes) = history.events[frame.event].kind,
            case .closed(.fromServer, 1007) = history.connections[frame.connection].ending?.kind
        else { return false }
        return String(validating: bytes, as: UTF8.self) == nil
    }

    /// Counts what a server did with a valid message.
    static func count(_ reception: Reception, of what: String, from event: Int, in evidence: inout Evidence) {
        switch reception {
        case .taken: evidence.keep()
        case .rejected(let answer):
            evidence.violate(
                "\(what) was refused", expected: "the answer it has otherwise", actual: "refused", at: [event, answer])
        case .ignored(let end):
            evidence.violate(
                "\(what) was not answered", expected: "the answer it has otherwise", actual: "nothing",
                at: [event, end])
        case .open: break
        }
    }

    /// Judges every frame and body by one kind of flaw; the closure says what is wrong, or nil.
    static func flawless(
        _ history: Observations, _ evidence: inout Evidence, _ objection: (JSONFlaw) -> String?
    ) {
        func judge(_ document: JSONDocument?, at events: [Int]) {
            guard let document else { return }
            for flaw in document.flaws {
                guard let what = objection(flaw) else { continue }
                evidence.violate(
                    "\(what) at \(flaw.location)", expected: "no such text",
                    actual: flaw.pointer.isRoot ? "in the message" : "at \(flaw.pointer)", at: events)
                return
            }
            evidence.keep()
        }
        for frame in history.received {
            judge(history.frames[frame.event]?.document, at: [frame.event])
        }
        for exchange in history.exchanges {
            guard let response = exchange.response, exchange.received?.bodyIsText == true else { continue }
            judge(exchange.answer, at: [exchange.request, response])
        }
    }

    /// Judges a connection that was open while another one sent a hostile message.
    static func bystander(_ index: Int, of hostile: HostileFrame, _ history: Observations, _ evidence: inout Evidence) {
        let connection = history.connections[index]
        let event = hostile.frame.event
        let ping = connection.sent.first { $0.event > event && $0.type == "ping" }
        let answer = connection.received.first { $0.event > ping?.event ?? event }
        if answer != nil { return evidence.keep() }
        if let ending = connection.ending, connection.wasEndedByServer {
            let sentHostile = history.hostileFrames.contains {
                $0.frame.connection == index && $0.frame.event < ending.event
            }
            guard !sentHostile, !ending.isExcused, !history.wasStopped(between: event, and: ending.event) else {
                return
            }
            evidence.violate(
                "a connection ended because of what another client sent", expected: "it stays open",
                actual: "the server ended connection \(connection.device)", at: [event, ending.event])
        } else if let ping, let end = history.deadline(after: ping.event, within: history.timeouts.pong, on: index) {
            evidence.violate(
                "a connection fell silent after what another client sent", expected: "pong", actual: "nothing",
                at: [event, ping.event, end])
        }
    }

    /// Judges the first connection that was asked for after a hostile message.
    static func newcomer(
        _ index: Int, after hostile: HostileFrame, _ history: Observations, _ evidence: inout Evidence
    ) {
        let connection = history.connections[index]
        let event = hostile.frame.event
        guard connection.isWhole, !history.wasStopped(between: event, and: connection.opening) else { return }
        if connection.connected != nil { return evidence.keep() }
        if let refused = connection.refused {
            guard case .refused(let status, _) = history.events[refused].kind, status ?? 500 >= 500 else { return }
            evidence.violate(
                "the server accepts no connection after what a client sent", expected: "an upgrade",
                actual: status.map { "HTTP \($0)" } ?? "no connection", at: [event, connection.opening, refused])
            return
        }
        guard let auth = connection.auth else { return }
        if let ending = connection.ending, connection.wasEndedByServer {
            if case .closed(.fromServer, let code?) = ending.kind, code >= 4000 || ending.isAtWill { return }
            evidence.violate(
                "a new connection ended after what a client sent", expected: "connected", actual: "the end",
                at: [event, ending.event])
        } else if let end = history.deadline(after: auth, within: history.timeouts.connect, on: index) {
            evidence.violate(
                "a new connection was not answered after what a client sent", expected: "connected", actual: "nothing",
                at: [event, auth, end])
        }
    }
}
