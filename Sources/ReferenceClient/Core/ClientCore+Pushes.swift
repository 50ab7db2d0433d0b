import HoldfastJSON

/// Notifications: a tap leads to what it names, wherever the app was; one that arrives in the foreground is a trigger
/// of recovery like any other.
extension ClientCore {
    /// A notification arrived while the app was in the foreground.
    mutating func pushReceived(_ payload: JSONValue) {
        guard let session = payload.text("sessionId") else { return }
        let message = payload.text("messageId")
        let number = conversation(of: session)
        if let message, conversations[number]?.has(id: message) == true { return }
        if differs(.ignoresPushesWhileLive), link.live != nil, now - lastFrame < rules.real(2_000) { return }
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

    /// Goes to what a notification names.
    mutating func follow(_ payload: JSONValue) {
        isUntouched = false
        guard let session = payload.text("sessionId") else {
            return complain("The notification names no conversation.")
        }
        let number = conversation(of: session)
        if let message = payload.text("messageId"), conversations[number]?.has(id: message) != true {
            conversations[number]?.wanted = message
        }
        show(number)
        refresh(number)
        if !mayAsk { tellUnread(number) }
    }

    /// Says of what a notification named that it cannot be read; the read that brings it takes that back.
    mutating func tellUnread(_ number: Int) {
        guard conversations[number]?.wanted != nil else { return }
        complain(Complaint.unread, in: number)
    }
}
