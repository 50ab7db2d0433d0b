import JSON

// Notices for people who are away; nothing here may hold up a turn.
extension ServerCore {
    /// Tells the devices of a principal that an answer is there, unless somebody took it live.
    mutating func announce(_ names: TurnNames, of principal: String, message: String, text: String, wasHeard: Bool) {
        guard !wasHeard || rules.variations.contains(.pushBesideDone) else { return }
        push(names, of: principal, message: message, text: text)
    }

    /// Puts a notice on its way to every device of a principal.
    mutating func push(_ names: TurnNames, of principal: String, message: String, text: String) {
        guard let devices = rules.devices[principal], !devices.isEmpty else { return }
        let title = sessions.session(names.session, of: principal)?.title ?? ""
        let notice = PushNotice(
            principal: principal, title: title, answer: text, session: names.session, message: message,
            turn: names.turn, id: ids.uuid(), variations: rules.variations)
        bring(notice, to: devices)
    }

    /// Puts a notice into the line of each of these devices.
    mutating func bring(_ notice: PushNotice, to devices: [String]) {
        for device in devices where outbox.add(notice, for: device) { deliver(to: device) }
    }

    /// What became of a request to the push service.
    mutating func pushed(to device: String, _ outcome: PushOutcome) {
        guard let pause = outbox.settle(device, outcome) else { return }
        guard pause > 0 else { return deliver(to: device) }
        let timer = nextNumber()
        pushTimers[timer] = device
        effects.append(.wait(timer: timer, ms: pause))
    }

    /// Sends the notice whose turn it is.
    mutating func deliver(to device: String) {
        guard let notice = outbox.first(for: device) else { return }
        effects.append(.push(device: device, notice))
    }

    /// A message that nobody asked for is durable: everybody hears of it.
    mutating func tell(_ remark: StoredRecord.Remark, _ notice: PushNotice, isPushed: Bool) {
        sessions.apply(.remark(remark))
        let listeners = connections.sockets(of: remark.principal)
        let names = TurnNames(session: remark.session, turn: remark.message, question: remark.message)
        let place = LiveTurn(
            names: names, principal: remark.principal, content: .string(remark.text), origin: .request(0),
            chargedAt: now.steady)
        broadcast(Frames.remark(remark, at: Timestamp.text(remark.at, rules.timeStyle)), of: place)
        if isPushed || listeners.isEmpty { bring(notice, to: rules.devices[remark.principal] ?? []) }
    }
}
