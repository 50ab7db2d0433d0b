import HoldfastJSON

// Notifications for absent users; nothing here may delay a turn.
extension ServerCore {
    /// Notifies a principal's devices of an answer; after a live send, only if the sockets end without a sign of life.
    mutating func announce(_ names: TurnNames, of principal: String, message: String, text: String, wasHeard: Bool) {
        guard wasHeard, !rules.variations.contains(.pushBesideDone) else {
            return push(names, of: principal, message: message, text: text)
        }
        forgetSeen(of: principal, at: connections.lastHeard(of: principal))
        guard rules.devices[principal]?.isEmpty == false else { return }
        maybeUnseen.append(
            MaybeUnseenAnswer(
                names: names, principal: principal, message: message, text: text, at: now.steady,
                sockets: Set(connections.sockets(of: principal))))
    }

    /// Removes a socket that ended; pushes an answer if this was the last socket with it and no sign of life followed.
    mutating func leave(_ socket: Int) {
        let gone = connections[socket]
        connections.remove(socket)
        guard let gone, let principal = gone.principal else { return }
        forgetSeen(of: principal, at: max(gone.heardAt, connections.lastHeard(of: principal)))
        for index in maybeUnseen.indices { maybeUnseen[index].sockets.remove(socket) }
        let due = maybeUnseen.filter(\.sockets.isEmpty)
        maybeUnseen.removeAll(where: \.sockets.isEmpty)
        for answer in due {
            push(answer.names, of: answer.principal, message: answer.message, text: answer.text)
        }
    }

    /// A sign of life shows that the earlier answers were received.
    private mutating func forgetSeen(of principal: String, at time: Int) {
        maybeUnseen.removeAll { $0.principal == principal && $0.at < time }
    }

    mutating func push(_ names: TurnNames, of principal: String, message: String, text: String) {
        guard let devices = rules.devices[principal], !devices.isEmpty else { return }
        enqueue(notice(text, of: principal, in: names.session, message: message, turn: names.turn), to: devices)
    }

    mutating func notice(
        _ text: String, of principal: String, in session: String, message: String, turn: String
    ) -> PushNotice {
        PushNotice(
            principal: principal, title: sessions.session(session, of: principal)?.title ?? "", answer: text,
            session: session, message: message, turn: turn, id: ids.uuid(), variations: rules.variations)
    }

    mutating func enqueue(_ notice: PushNotice, to devices: [String]) {
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
    mutating func tell(_ remark: StoredRecord.Post, _ notice: PushNotice, isPushed: Bool) {
        sessions.apply(.remark(remark))
        let listeners = connections.sockets(of: remark.principal)
        say(remark, as: "assistant")
        if isPushed || listeners.isEmpty { enqueue(notice, to: rules.devices[remark.principal] ?? []) }
    }
}
