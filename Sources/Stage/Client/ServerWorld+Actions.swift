import Holdfast
import HoldfastBasics
import HoldfastJSON

// Callers have filled in all references.
extension ServerWorld {
    mutating func storeElsewhere(_ messages: [ClientWorld.Message], in session: String, to audience: ServerAudience) {
        if index(of: session) == nil { sessions.append(Session(id: session, createdAt: now)) }
        for message in messages {
            if message.role == .assistant, let number = Self.turn(in: message.id) { endTurns(before: number) }
            guard let stored = store(message, in: session, at: now) else { continue }
            if message.role == .assistant, let number = stored.turn, let turn = turns[number] {
                tell(ending(of: turn, isCopy: false), to: audience)
                endServed(in: session)
            } else if isNumbered {
                // Only a stream has messages (TURN-11).
                tell(self.message(for: stored, in: session), to: audience)
            } else {
                noteLostFrame(in: nil)
            }
        }
    }

    mutating func tellRaw(text: String?, bytes: [UInt8]?) {
        for (number, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.state == .greeted {
            effects.append(.sendRaw(connection: number, text: text, bytes: bytes))
        }
    }

    mutating func end(_ how: ConnectionEnding) {
        for number in connections.keys.sorted() {
            switch how {
            case .cut(let how): cut(number, how)
            case .close(let code): close(number, code: Int(code))
            }
        }
    }

    mutating func restart(epoch: String, lastSeq: Int, keepsFrames: Bool) {
        end(.cut(.reset))
        self.epoch = epoch
        self.lastSeq = lastSeq
        if !keepsFrames {
            kept = []
            evictedThrough = lastSeq
        }
    }

    mutating func forget(upTo seq: Int) {
        kept.removeAll { $0.seq <= seq }
        evictedThrough = max(evictedThrough, min(seq, lastSeq))
    }

    mutating func remove(_ session: String) {
        sessions.removeAll { $0.id == session }
        // A later session with the same id must not wait for these turns.
        for (number, turn) in turns where turn.session == session && turn.status == .running {
            turns[number]?.status = .failed(code: "session_not_found")
            for request in turn.waiting { effects.append(.hangUp(request: request)) }
        }
    }

    /// Removes or restores the network: open connections fall silent, and new ones do not get through.
    package mutating func setReachable(_ isReachable: Bool) {
        isUnreachable = !isReachable
        guard !isReachable else { return }
        end(.cut(.silence))
        let waiting = turns.keys.sorted().flatMap { turns[$0]?.waiting ?? [] }
        for request in held.compactMap(\.request) + waiting { effects.append(.hangUp(request: request)) }
        held = []
        for number in turns.keys { turns[number]?.waiting = [] }
    }
}
