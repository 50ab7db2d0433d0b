import HoldfastTranscript

/// Something that the server announced to a client, and so promised to have stored.
struct StoredPromise {
    let turn: ObservedTurn
    let told: Int
    let life: Int
    /// Whether a REST response announced it.
    var isResponse = false
    /// The answer's id in that response.
    var messageId: String?
}

/// The fate of a promise in later reads of its session.
struct Fate {
    /// The first read after the promise that lacks it.
    fileprivate(set) var lostAt: Int?
    /// The first read that contains it, in the same life of the process.
    fileprivate(set) var shownAt: Int?
    /// The first read that contains it, in a later life.
    fileprivate(set) var keptAt: Int?

    /// Whether a read after a restart contains it, and none lacks it.
    var isKept: Bool { keptAt != nil && lostAt == nil }
    /// Whether any read decides about it.
    var isKnown: Bool { lostAt != nil || shownAt != nil || keptAt != nil }
}

extension Observations {
    /// Every answer announced by a frame: for each turn its first `done`, even a copy or a replayed one.
    var promisedAnswers: [StoredPromise] {
        turns.compactMap { turn in
            turn.dones.min { $0.event < $1.event }.map {
                StoredPromise(turn: turn, told: $0.event, life: life(of: $0))
            }
        }
    }

    /// Every answer announced by a REST response.
    var respondedAnswers: [StoredPromise] {
        turns.flatMap { turn in
            turn.requests.compactMap { request in
                guard let response = request.success else { return nil }
                let body = body(ofResponse: response)
                return StoredPromise(
                    turn: turn, told: response, life: life(of: request),
                    isResponse: true, messageId: body?.id("messageId"))
            }
        }
    }

    /// Every question announced by an `ack`: for each turn the first.
    var promisedQuestions: [StoredPromise] {
        turns.compactMap { turn in
            turn.ack.map { StoredPromise(turn: turn, told: $0.event, life: life(of: $0)) }
        }
    }

    /// The fate of each promise in later reads of its session by its principal.
    ///
    /// A 404 lacks everything; other failed reads decide nothing.
    func fates(of promises: [StoredPromise], has: (StoredPlaces, StoredPromise) -> Bool) -> [Fate] {
        var fates = [Fate](repeating: Fate(), count: promises.count)
        var bySession: [OwnName: [Int]] = [:]
        for (index, promise) in promises.enumerated() {
            guard let session = promise.turn.session else { continue }
            bySession[OwnName(session, of: promise.turn.principal), default: []].append(index)
        }
        func note(_ index: Int, _ isThere: Bool, request: Int, response: Int) {
            if !isThere {
                fates[index].lostAt = fates[index].lostAt ?? response
            } else if lives.life(at: request) > promises[index].life {
                fates[index].keptAt = fates[index].keptAt ?? response
            } else {
                fates[index].shownAt = fates[index].shownAt ?? response
            }
        }
        let reads = Dictionary(sessionReads.map { ($0.event, $0) }, uniquingKeysWith: { first, _ in first })
        for exchange in exchanges {
            guard let id = exchange.sessionRead, let principal = exchange.sent.principal,
                let response = exchange.response,
                let concerned = bySession[OwnName(id, of: principal)]
            else { continue }
            let later = concerned.filter { promises[$0].told < exchange.request }
            guard !later.isEmpty else { continue }
            if let read = reads[response] {
                let places = places(in: read)
                for index in later {
                    note(index, has(places, promises[index]), request: exchange.request, response: response)
                }
            } else if exchange.status == 404 {
                for index in later { note(index, false, request: exchange.request, response: response) }
            }
        }
        return fates
    }

    func fates(ofAnswers promises: [StoredPromise]) -> [Fate] {
        fates(of: promises) { places, promise in !places.answers(of: promise.turn, under: promise.messageId).isEmpty }
    }

    func fates(ofQuestions promises: [StoredPromise]) -> [Fate] {
        fates(of: promises) { places, promise in !places.questions(of: promise.turn).isEmpty }
    }
}
