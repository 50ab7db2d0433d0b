import HoldfastJSON
import HoldfastTranscript

extension ObservedExchange {
    var events: [Int] { [request, response ?? failure].compactMap(\.self) }
    var hasErrorBody: Bool { answer?.root["error"]?.stringValue != nil }
    /// Whether the request had a valid token.
    var hasKnownPrincipal: Bool { ![nil, "", "other"].contains(sent.principal) }
}

extension ObservedConnection {
    /// Whether, before `end`, the server answered a request sent after `begin` with a frame of one of the types.
    ///
    /// A server that works through a queue still answers messages sent before `begin`.
    func hasAnswered(since begin: Int, before end: Int, with types: Set<String>) -> Bool {
        let earlier = sent.prefix { $0.event <= begin }
        let later = sent[earlier.endIndex...]
        guard let asked = later.first?.event, asked < end else { return false }
        return received.contains { answer in
            guard answer.event > asked, answer.event < end, answer.isAnswer, types.contains(answer.type ?? "") else {
                return false
            }
            if answer.kind == .error, answer.clientMessageId == nil { return true }  // it answers some frame
            guard let request = later.first(where: answer.answers) else { return false }
            // An answer may belong to any request of the same type and ids.
            let pending = earlier.count {
                $0.type == request.type && $0.clientMessageId == request.clientMessageId
                    && $0.string("nonce") == request.string("nonce")
            }
            return pending == 0 || received.count { $0.event <= answer.event && $0.answers(request) } > pending
        }
    }

    func isGreeted(before event: Int) -> Bool { connected.map { $0 < event } ?? false }

    func isOpen(at event: Int) -> Bool { ending.map { $0.event > event } ?? true }

    func endByServer(after event: Int = -1) -> Ending? {
        guard wasEndedByServer, let ending, ending.event > event else { return nil }
        return ending
    }
}

extension Frame {
    /// Whether it answers a frame; an `error` with a turn id ends that turn instead.
    fileprivate var isAnswer: Bool { kind == .error ? turnId == nil : type.map(Self.answers.contains) == true }

    /// The types of frames that answer a particular frame; `answers` contains all types of answers.
    static let answersByName: Set = ["ack", "pong", "syncResult"]
    static let answers = answersByName.union(["connected", "error"])

    fileprivate func answers(_ request: Frame) -> Bool {
        switch request.type {
        case "auth": kind == .connected
        case "chat": isAnswer && ["ack", "error"].contains(type) && clientMessageId == request.clientMessageId
        case "ping": kind == .pong && string("nonce") == request.string("nonce")
        case "sync": kind == .syncResult
        default: false
        }
    }
}

extension Observations {
    /// The end of a connection by its server after an event, unless the server announced a stop, restart or overload,
    /// or the stage caused the end.
    func unannouncedEnd(of index: Int, after event: Int) -> ObservedConnection.Ending? {
        guard let ending = connections[index].endByServer(after: event), !ending.isGoodbye,
            !wasStopped(between: event, and: ending.event), !isForLateAuth(ending, of: connections[index])
        else { return nil }
        return ending
    }

    /// Whether a server closed a connection whose `auth` may have arrived after the time limit: the two crossed, or a
    /// late machine kept the server from reading while its timer ran.
    private func isForLateAuth(_ ending: ObservedConnection.Ending, of connection: ObservedConnection) -> Bool {
        guard ending.has(code: 4002), connection.connected == nil, let auth = connection.auth else { return false }
        let (start, limit) = (connection.opening, min(subject.limits["authSeconds"] ?? 10, 10) * 1_000_000)
        return span(from: start, to: auth) >= limit
            || span(from: start, to: ending.event) >= limit && effectiveSpan(from: start, to: ending.event) < limit
    }

    func sentHostile(on index: Int, before event: Int = .max) -> Bool {
        hostileFrames.contains { $0.frame.connection == index && $0.frame.event < event }
    }
}

extension Evidence {
    mutating func test(
        _ exchange: ObservedExchange, isRefusedWith statuses: ClosedRange<Int>, otherwise what: String,
        expected: String
    ) {
        let status = exchange.status ?? 0
        test(
            statuses.contains(status) && exchange.hasErrorBody, otherwise: what, expected: expected,
            actual: statuses.contains(status) ? "\(status) with \(shown(exchange.received?.body))" : "\(status)",
            at: exchange.events)
    }
}

extension Observations {
    func judge(
        _ exchange: ObservedExchange, isRefusedWith statuses: ClosedRange<Int>, within bound: Duration, _ what: String,
        into evidence: inout Evidence
    ) {
        let expected = "\(statuses.lowerBound) with an error body"
        // A server may answer 503 while it stops; if it cannot store anything, it need not know its sessions.
        if exchange.status == 503, let response = exchange.response {
            let isDisturbed = statuses == 404...404 ? wasDisturbed : wasStopped
            if isDisturbed(exchange.request, response) { return }
        }
        if exchange.status != nil {
            evidence.test(exchange, isRefusedWith: statuses, otherwise: what, expected: expected)
        } else if let missing = unanswered(exchange, within: bound) {
            evidence.violate(what, expected: expected, by: missing)
        }
    }
}

func called(close code: Int?) -> String { "close \(code.map(String.init) ?? "without a code")" }

func called(_ ending: ObservedConnection.Ending) -> String {
    if case .closed(_, let code) = ending.kind { return called(close: code) }
    return "the end of the connection without a close frame"
}

func called(error code: String?) -> String { "error \(code ?? "without code")" }
