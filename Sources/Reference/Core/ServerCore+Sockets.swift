import HoldfastJSON

// The life of a socket: opening, handshake, messages, silence, end.
extension ServerCore {
    mutating func open(_ socket: Int, upgradePrincipal: String?) {
        connections.open(socket, id: ids.next("con"), upgradePrincipal: upgradePrincipal, at: now.steady)
    }

    mutating func receive(_ received: Input.Received, on socket: Int) {
        guard let connection = connections[socket], !connection.isClosing else { return }
        connections[socket]?.hear(at: now.steady)
        do throws(Refusal) {
            let message = try reader.frame(try text(of: received))
            try perform(message, of: connection, on: socket)
        } catch {
            if let code = closeCode(for: error, received) {
                return close(socket, code: code, reason: error.code.rawValue)
            }
            send(Frames.refused(error), to: socket)
        }
    }

    /// Nil for a refusal that is answered with an `error` frame.
    private func closeCode(for refusal: Refusal, _ received: Input.Received) -> UInt16? {
        switch refusal.code {
        case .tooLarge: rules.variations.contains(.closesTooLarge) ? 1009 : nil
        case .parseError: rules.variations.contains(.closesBadText) && received == .invalidText ? 1007 : nil
        case .notAuthenticated: rules.variations.contains(.closesUnauthenticated) ? 1008 : nil
        default: nil
        }
    }

    private func text(of received: Input.Received) throws(Refusal) -> String {
        switch received {
        case .text(let text): return text
        case .binary: throw Refusal(.badRequest, "a binary message; this protocol speaks text")
        case .invalidText: throw Refusal(.parseError, "the text is not UTF-8")
        case .tooLarge(let bytes):
            throw Refusal(.tooLarge, "the message has \(bytes) bytes; at most \(rules.maxFrameBytes) are taken")
        }
    }

    private mutating func perform(
        _ message: ClientMessage, of connection: Connections.Connection, on socket: Int
    ) throws(Refusal) {
        guard let principal = connection.principal else {
            switch message {
            case .auth(let auth): return try authenticate(auth, of: connection, on: socket)
            case .chat(let chat):
                throw Refusal(.notAuthenticated, "the first frame has to be 'auth'", clientMessageId: chat.key)
            case .sync, .ping: throw Refusal(.notAuthenticated, "the first frame has to be 'auth'")
            }
        }
        switch message {
        case .auth: throw Refusal(.badRequest, "this connection is authenticated already")
        case .chat(let chat): ask(chat, of: principal, from: .socket(socket))
        case .sync(let sync):
            guard rules.keeps.contains(.sync) else { throw Refusal(.unknownType, "nothing is replayed here") }
            answer(sync, of: principal, on: socket)
        case .ping(let nonce): send(Frames.pong(nonce: nonce), to: socket)
        }
    }

    private mutating func authenticate(
        _ auth: ClientMessage.Auth, of connection: Connections.Connection, on socket: Int
    ) throws(Refusal) {
        guard auth.protocol == 1 else {
            send(
                Frames.refused(Refusal(.unsupportedVersion, "version \(auth.protocol) is not spoken here")), to: socket)
            return close(socket, code: 4010, reason: "unsupported version")
        }
        // A token in the frame is always checked, even if the upgrade carried a valid one.
        let named = auth.token == nil ? connection.upgradePrincipal : nil
        guard let principal = named ?? rules.principal(token: auth.token) else {
            send(Frames.refused(Refusal(.authFailed, "the token is missing or not valid")), to: socket)
            return close(socket, code: 4001, reason: "bad credentials")
        }
        // Reading the position and joining the socket is one step, so the socket misses nothing from here on.
        let position = streams[principal]?.lastSeq ?? 0
        send(Frames.connected(connection.id, wall: now.wall, rules, epoch: epoch, lastSeq: position), to: socket)
        connections.join(socket, principal: principal)
    }

    mutating func beat() {
        let interval = rules.heartbeatSeconds * 1_000_000
        // After such a delay the peers were not served either, so their silence proves nothing.
        let isLate = now.steady - (lastBeat ?? now.steady) > interval * 3 / 2
        lastBeat = now.steady
        for socket in connections.all {
            guard let connection = connections[socket], !connection.isClosing else { continue }
            if connection.principal == nil, rules.requiresAuth,
                now.steady - connection.openedAt >= rules.authMs * 1000
            {
                if !rules.variations.contains(.silentTimeout) {
                    send(Frames.refused(Refusal(.authTimeout, "no 'auth' within \(rules.authMs / 1000) s")), to: socket)
                }
                close(socket, code: 4002, reason: "authentication timeout")
            } else if isLate {
                connections[socket]?.ping(at: now.steady, anew: true)
                effects.append(.ping(socket: socket))
            } else if connection.isSilent(at: now.steady, heartbeat: interval) {
                close(socket, code: 4004, reason: "silent for two heartbeats")
            } else if now.steady - connection.pingedAt >= interval {
                connections[socket]?.ping(at: now.steady)
                effects.append(.ping(socket: socket))
            }
        }
    }
}
