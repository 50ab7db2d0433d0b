import HoldfastJSON

extension ClientCore {
    mutating func pushReceived(_ payload: JSONValue) {
        guard let session = payload.text("sessionId") else { return }
        let message = payload.text("messageId")
        let number = conversation(of: session)
        if let message, conversations[number]?.has(id: message) == true { return }
        if uses(.ignoresPushesWhileLive), link.live != nil, now - lastFrameAt < rules.real(2_000) { return }
        conversations[number]?.wanted = message
        if number != shown {
            let isNew = message.map { conversations[number]?.announced.insert($0).inserted == true } ?? true
            if isNew { conversations[number]?.unread += 1 }
        }
        refresh(number)
    }

    mutating func pushOpened(_ payload: JSONValue) {
        foreground()
        follow(payload)
    }

    mutating func follow(_ payload: JSONValue) {
        isUntouched = false
        guard let session = payload.text("sessionId") else {
            return showError("The notification names no conversation.")
        }
        let number = conversation(of: session)
        if let message = payload.text("messageId"), conversations[number]?.has(id: message) != true {
            conversations[number]?.wanted = message
        }
        show(number)
        refresh(number)
        if !mayRequest { showNotLoaded(number) }
    }

    /// Reports that a notification's message cannot be read; a later read withdraws the report.
    mutating func showNotLoaded(_ number: Int) {
        guard conversations[number]?.wanted != nil else { return }
        showError(ScreenError.notLoaded, in: number)
    }
}
