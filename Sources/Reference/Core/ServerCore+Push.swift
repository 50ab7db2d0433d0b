import HoldfastJSON

// Notifications for absent users; nothing here may delay a turn.
extension ServerCore {
    /// Notifies a principal's devices of an answer; if it was sent live, only if the sockets end without a sign of life.
    mutating func announce(_ names: TurnNames, of principal: String, message: String, text: String, wasHeard: Bool) {
        guard wasHeard, !rules.variations.contains(.pushBesideDone) else {
            return push(names, of: principal, message: message, text: text)
        }
        forgetHeard(of: principal, at: connections.lastHeard(of: principal))
        guard rules.devices[principal]?.isEmpty == false else { return }
        unheard.append(
            UnheardAnswer(
                names: names, principal: principal, message: message, text: text, at: now.steady,
                sockets: Set(connections.sockets(of: principal))))
    }

    /// After a socket ends: notifies devices if it was the last one that was sent an answer, with no sign of life since.
    mutating func leave(_ socket: Int) {
        let gone = connections[socket]
        connections.remove(socket)
        guard let gone, let principal = gone.principal else { return }
        forgetHeard(of: principal, at: max(gone.heardAt, connections.lastHeard(of: principal)))
        for index in unheard.indices { unheard[index].sockets.remove(socket) }
        let due = unheard.filter(\.sockets.isEmpty)
        unheard.removeAll(where: \.sockets.isEmpty)
        for answer in due {
            push(answer.names, of: answer.principal, message: answer.message, text: answer.text)
        }
    }

    /// A sign of life shows that the earlier answers were received.
    private mutating func forgetHeard(of principal: String, at time: Int) {
        unheard.removeAll { $0.principal == principal && $0.at < time }
    }

    mutating func push(_ names: TurnNames, of principal: String, message: String, text: String) {
        guard let devices = rules.devices[principal], !devices.isEmpty else { return }
        let title = sessions.session(names.session, of: principal)?.title ?? ""
        let notice = PushNotice(
            principal: principal, title: title, answer: text, session: names.session, message: message,
            turn: names.turn, id: ids.uuid(), variations: rules.variations)
        bring(notice, to: devices)
    }

    mutating func bring(_ notice: PushNotice, to devices: [String]) {
        for device in devices where outbox.add(notice, for: device) { deliver(to: device) }
    }

    mutating func pushed(to device: String, _ outcome: PushOutcome) {
        guard let pause = outbox.settle(device, outcome) else { return }
        guard pause > 0 else { return deliver(to: device) }
        let timer = nextNumber()
        pushTimers[timer] = device
        effects.append(.wait(timer: timer, ms: pause))
    }

    mutating func deliver(to device: String) {
        guard let notice = outbox.first(for: device) else { return }
        effects.append(.push(device: device, notice))
    }

    /// The message is durable, so it is announced now.
    mutating func tell(_ remark: StoredRecord.Remark, _ notice: PushNotice, isPushed: Bool) {
        sessions.apply(.remark(remark))
        let listeners = connections.sockets(of: remark.principal)
        say(remark)
        if isPushed || listeners.isEmpty { bring(notice, to: rules.devices[remark.principal] ?? []) }
    }

    mutating func say(_ remark: StoredRecord.Remark) {
        let names = TurnNames(session: remark.session, turn: remark.turn, question: remark.message, key: "")
        let place = LiveTurn(placing: names, of: remark.principal, at: now.steady)
        broadcast(Frames.remark(remark, at: Timestamp.text(remark.at, rules.timeStyle)), of: place, at: remark.at)
    }
}
