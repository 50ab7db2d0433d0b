import HoldfastJSON

extension ObservedExchange {
    /// The request, and what ended the exchange.
    var events: [Int] { [request, response ?? failure].compactMap { $0 } }
    /// Whether the response is an error as the specification has it.
    var hasErrorBody: Bool { answer?.root["error"]?.stringValue != nil }
    /// Whether the request was made with a token that is somebody's.
    var isSomebodys: Bool { sent.principal.map { $0 != "other" } ?? false }
}

extension ObservedConnection {
    /// Whether the server answered between two events what was sent between them.
    func hasAnswered(since begin: Int, before end: Int) -> Bool {
        guard let asked = sent.first(where: { $0.event > begin })?.event, asked < end else { return false }
        return received.contains { frame in
            frame.event > asked && frame.event < end
                && ["ack", "error", "pong", "syncResult"].contains(frame.type ?? "")
        }
    }

    /// Whether it had not ended by an event.
    func isOpen(at event: Int) -> Bool { ending.map { $0.event > event } ?? true }

    /// How the server ended it, after an event where one is given; nil when it did not.
    func endByServer(after event: Int = -1) -> Ending? {
        guard wasEndedByServer, let ending, ending.event > event else { return nil }
        return ending
    }
}

extension Evidence {
    /// Counts one answer to a request that has to be refused with a status and an error body.
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

/// What a close frame is called in a finding.
func called(close code: Int?) -> String { "close \(code.map(String.init) ?? "without a code")" }

/// What an error of a code is called in a finding.
func called(error code: String?) -> String { "error \(code ?? "without code")" }
