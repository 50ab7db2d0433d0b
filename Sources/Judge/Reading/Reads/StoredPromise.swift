import HoldfastTranscript

/// Something that the server announced to a client, and so promised to have stored, with its fate in later reads.
struct StoredPromise {
    /// The announcement: the `ack` of a question, the `done` or the REST response of an answer.
    enum Kind { case ack, done, response }

    let turn: ObservedTurn
    let kind: Kind
    let madeAt: Int
    let life: Int
    /// The answer's id in a response.
    var messageId: String?
    /// The first read after the promise that lacks it.
    fileprivate(set) var lostAt: Int?
    /// The first read that contains it, in the same life of the process.
    fileprivate(set) var shownAt: Int?
    /// The first read that contains it, in a later life.
    fileprivate(set) var keptAt: Int?

    var isKnown: Bool { lostAt != nil || shownAt != nil || keptAt != nil }
}

extension Observations {
    /// Every promise of a kind: each response, and for each turn its `ack` or first `done`, even a copy or a replay.
    ///
    /// Reads of its session by its principal settle it. A 404 lacks everything; other failed reads settle nothing.
    func promises(by kind: StoredPromise.Kind) -> [StoredPromise] {
        let reads = Dictionary(grouping: exchanges.filter { $0.response != nil }) { exchange in
            exchange.sessionRead.flatMap { id in exchange.sent.principal.map { ScopedName(id, of: $0) } }
        }
        return unsettled(by: kind).map { promise in
            var promise = promise
            let own = promise.turn.session.map { ScopedName($0, of: promise.turn.principal) }
            for exchange in (own.flatMap { reads[$0] } ?? []).asked(after: promise.madeAt) {
                let read = read(in: exchange)
                guard read != nil || exchange.status == 404 else { continue }
                if !(read.map { holds($0, promise) } ?? false) {
                    promise.lostAt = promise.lostAt ?? exchange.response
                } else if lives.life(at: exchange.request) > promise.life {
                    promise.keptAt = promise.keptAt ?? exchange.response
                } else {
                    promise.shownAt = promise.shownAt ?? exchange.response
                }
            }
            return promise
        }
    }

    private func unsettled(by kind: StoredPromise.Kind) -> [StoredPromise] {
        guard kind == .response else {
            return turns.compactMap { turn in
                (kind == .ack ? turn.ack : turn.dones.earliest).map {
                    StoredPromise(turn: turn, kind: kind, madeAt: $0.event, life: life(of: $0))
                }
            }
        }
        return requests.compactMap { turn, request in
            request.success.map {
                StoredPromise(
                    turn: turn, kind: kind, madeAt: $0, life: life(of: request),
                    messageId: body(ofResponse: $0)?.id("messageId"))
            }
        }
    }

    private func holds(_ read: ObservedSessionRead, _ promise: StoredPromise) -> Bool {
        let places = places(in: read)
        return promise.kind == .ack
            ? !places.questions(of: promise.turn).isEmpty
            : !places.answers(of: promise.turn, under: promise.messageId).isEmpty
    }
}
