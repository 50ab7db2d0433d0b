import Transport

extension FaultRule {
    /// What becomes of a message that it is followed for.
    package var deed: RelayDeed {
        switch action {
        case .drop: RelayDeed(copies: 0)
        case .duplicate: RelayDeed(copies: 2)
        case .delay(let time): RelayDeed(delay: time)
        case .cut(let how): RelayDeed(copies: isAfter ? 1 : 0, ending: .cut(how))
        case .close(let code): RelayDeed(copies: isAfter ? 1 : 0, ending: .close(code))
        case .refuse: .pass
        }
    }

    /// What becomes of a request that it is followed for; where it is about the answer, the request passes.
    package var choice: RelayChoice {
        switch action {
        case .cut(let how): isAfter ? .pass : .cut(how)
        case .delay(let time): .delay(time)
        case .refuse(let status):
            .answer(.json(#"{"error":"refused by the proxy, on request","code":"internal"}"#, status: status))
        case .close, .drop, .duplicate: .pass
        }
    }

    /// What becomes of the answer to a request that passed.
    package var choiceOfAnswer: RelayChoice {
        guard isAfter, case .cut(let how) = action else { return .pass }
        return .cut(how)
    }
}
