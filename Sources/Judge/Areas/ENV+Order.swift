import HoldfastTranscript

extension ENV {
    /// ENV-14, rule 2: refusals of one connection's frames for their content arrive in the order of the frames.
    ///
    /// Tested once for each connection with two errors whose frames are known independently of their order: by a key
    /// used once, by the only frame of an unknown type, or by the only question whose session is not found. Refusals
    /// that depend on an agent or a disk have no fixed position.
    static func refusalsComeInOrder(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() {
            let answered = history.surelyAnswered(on: index, connection).sorted { $0.frame < $1.frame }
            guard answered.count > 1 else { continue }
            let swapped = zip(answered, answered.dropFirst()).first { $0.error > $1.error }
            evidence.test(no: swapped) { first, second in
                Finding(
                    "two frames were not refused in the order of their arrival",
                    expected: "the error for the first frame first",
                    actual: "the error for the second frame first",
                    at: [first.frame, second.frame, second.error, first.error])
            }
        }
    }
}

extension Observations {
    /// Codes that refuse a frame for its content.
    private static let contentRefusals = Frame.refusalCodes.subtracting([
        "auth_failed", "auth_timeout", "not_authenticated", "unsupported_version",
    ])

    /// The errors of a connection whose frames are known independently of their order, by event.
    fileprivate func surelyAnswered(
        on index: Int, _ connection: ObservedConnection
    ) -> [(frame: Int, error: Int)] {
        let errors = connection.received.filter { frame in
            frame.isRefusal && frame.code.map(Self.contentRefusals.contains) == true
        }
        let chats = connection.sent.filter { $0.kind == .chat }
        func only<Element>(_ elements: [Element]) -> Element? { elements.count == 1 ? elements.first : nil }
        let strange = hostileFrames.filter { $0.frame.connection == index && $0.kind == .unknownType }.map(\.frame)
        return errors.compactMap { error in
            let frame: Frame?
            if let key = error.clientMessageId {
                let isAlone = errors.count { $0.clientMessageId == key } == 1
                frame = isAlone ? only(chats.filter { $0.clientMessageId == key }) : nil
            } else {
                guard errors.count(where: { $0.code == error.code }) == 1 else { return nil }
                switch error.code {
                case "unknown_type": frame = only(strange)
                case "session_not_found": frame = only(chats.filter { $0.sessionId != nil })
                default: frame = nil
                }
            }
            guard let frame, frame.isBefore(error.event) else { return nil }
            return (frame.event, error.event)
        }
    }
}
