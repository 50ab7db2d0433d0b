import HoldfastTranscript

struct ReachCount {
    let history: History
    let connections: [ObservedConnection]
    let exchanges: [ObservedExchange]
    let syncs: [ObservedSync]
    /// The server's frames in time order, without and with replayed ones.
    let received, frames: [Frame]
    let turns: [CountedTurn]
    private let lives: SubjectLives
    private(set) var values: [Reach.Dimension: Int] = [:]
    /// The periods of situations, in microseconds; without a person, they apply to all principals.
    private var spans: [(situation: Reach.Situation, person: String?, from: Int, to: Int)] = []

    init(_ history: History) {
        let history = DialectView(history).history
        self.history = history
        let observed = ObservedConnection.all(in: history)
        (connections, received) = (observed.connections, observed.received)
        exchanges = ObservedExchange.all(in: history)
        syncs = ObservedSync.all(on: connections, hostile: [:])
        lives = SubjectLives(history)
        frames = (received + syncs.flatMap(\.missed)).sorted { $0.event < $1.event }
        turns = CountedTurn.all(frames, on: connections, in: exchanges)
        countConnections()
        countQuestions()
        countSessions()
        countSyncs()
        countProcesses()
        countTexts()
        countRefusals()
        let limits = connections.map { $0.limit("maxFrameBytes") ?? 0 }
        for frame in observed.sent + received where limits[frame.connection] > 0 {
            let limit = limits[frame.connection]
            if frame.wireBytes <= limit { raise(.frameShare, 100 * frame.wireBytes / limit) }
        }
        if history.header.subject.role == .client { countClient() }
    }

    var end: Int { history.events.count }

    private func time(_ event: Int) -> Int { history.events[max(0, min(event, end - 1))].at }

    private func seconds(_ events: Range<Int>) -> Int {
        (time(events.upperBound) - time(events.lowerBound)) / 1_000_000
    }

    func person(of frame: Frame) -> String { connections[frame.connection].principal }

    mutating func raise(_ dimension: Reach.Dimension, _ value: Int?) {
        if let value, value > values[dimension] ?? 0 { values[dimension] = value }
    }

    mutating func mark(_ situation: Reach.Situation, _ person: String? = nil, from first: Int, to last: Int? = nil) {
        spans.append((situation, person, time(first), time(last ?? first)))
    }

    /// Marks a situation for each principal, or only the given one, with a turn that runs at an event.
    mutating func markAmidTurn(_ situation: Reach.Situation, _ person: String? = nil, at event: Int) {
        for turn in turns where (person ?? turn.person) == turn.person && turn.asked < event {
            if turn.ended ?? end > event { mark(situation, turn.person, from: event) }
        }
    }

    var pairs: Set<Reach.Pair> {
        var pairs: Set<Reach.Pair> = []
        let shared = spans.filter { $0.person == nil }
        var people = Dictionary(grouping: spans.filter { $0.person != nil }, by: \.person).mapValues { $0 + shared }
        if people.isEmpty { people[nil] = shared }
        for spans in people.values {
            var last: [Reach.Situation: Int] = [:]
            for span in spans.sorted(by: { $0.from < $1.from }) {
                last[span.situation] = max(span.to, last[span.situation] ?? 0)
                for (other, until) in last where until + 10_000_000 >= span.from {
                    pairs.insert(Reach.Pair(span.situation, other))
                }
            }
        }
        return pairs
    }

    /// The number of concurrent ranges, for each subrange in which it is constant.
    private static func depths(_ ranges: [Range<Int>]) -> [(depth: Int, events: Range<Int>)] {
        let edges = (ranges.map { ($0.lowerBound, 1) } + ranges.map { ($0.upperBound, -1) }).sorted(by: <)
        var depth = 0
        return zip(edges, edges.dropFirst()).compactMap { edge, next in
            depth += edge.1
            return edge.0 < next.0 ? (depth, edge.0..<next.0) : nil
        }
    }

    /// The longest time between successive events, in seconds.
    private func longestPause(_ events: [Int]) -> Int? {
        let inOrder = events.sorted()
        return zip(inOrder, inOrder.dropFirst()).map { seconds($0..<$1) }.max()
    }

    private mutating func countConnections() {
        raise(.epochs, Set(connections.compactMap { $0.greeting?.epoch }).count)
        raise(.handshakes, connections.count { $0.connected == nil })
        for connection in connections { raise(.silentSeconds, longestPause(connection.sent.map(\.event))) }
        for (person, own) in Dictionary(grouping: connections, by: \.principal) {
            let sent = own.flatMap { [$0.opening] + $0.sent.map(\.event) }
            raise(.restSeconds, longestPause(sent + exchanges.filter { $0.sent.principal == person }.map(\.request)))
            let open = own.compactMap { connection in
                connection.connected.map { $0..<max($0, connection.ending?.event ?? end) }
            }
            for (depth, events) in Self.depths(open) {
                raise(.openAtOnce, depth)
                if depth > 1 { mark(.otherDevice, person, from: events.lowerBound, to: events.upperBound) }
            }
            raise(.connectionSeconds, open.map(seconds).max())
            let cuts = own.compactMap(\.ending).filter { $0.kind == .cut || $0.kind == .lost }
            raise(.cuts, cuts.count)
            for cut in cuts { markAmidTurn(.cutAmidTurn, person, at: cut.event) }
        }
        raise(.people, Set(connections.filter { $0.connected != nil }.map(\.principal)).count)
        let auths = connections.flatMap(\.sent).filter { $0.kind == .auth && $0.string("clientId") != nil }
        for own in Dictionary(grouping: auths, by: { $0.string("clientId") }).values {
            raise(.clientPeople, Set(own.map(person)).count)
        }
    }

    private mutating func countQuestions() {
        for (index, asked) in Dictionary(grouping: turns, by: \.request.connection) {
            guard let connection = index.map({ connections[$0] }) else { continue }
            let last = connection.ending?.event ?? end
            let open = asked.map { $0.asked..<max($0.asked, min($0.acked ?? $0.ended ?? end, last)) }
            for (depth, events) in Self.depths(open) {
                raise(.unacknowledged, depth)
                let situations: [Reach.Situation] = [.twoUnacknowledged, .threeUnacknowledged]
                for situation in situations.prefix(max(0, depth - 1)) {
                    mark(situation, connection.principal, from: events.lowerBound, to: events.upperBound)
                }
            }
        }
        for (name, own) in Dictionary(grouping: turns.filter { !$0.isRefused }, by: \.sessionName) where name != nil {
            var (free, waits) = (0, [Range<Int>]())
            for turn in own {
                if free > turn.asked { waits.append(turn.asked..<free) }
                free = max(free, turn.ended ?? 0)
            }
            for wait in waits { mark(.inLine, name?.principal, from: wait.lowerBound, to: wait.upperBound) }
            raise(.inLine, Self.depths(waits).map(\.depth).max())
            raise(.inLineSeconds, waits.map(seconds).max())
        }
        let reads = exchanges.compactMap { read in read.sessionRead.map { ($0, read.request) } }
        let uses = reads + turns.flatMap { turn in turn.requests.map { (turn.session ?? "", $0.event) } }
        for (session, own) in Dictionary(grouping: uses, by: \.0) where !session.isEmpty {
            raise(.sessionRestSeconds, longestPause(own.map(\.1)))
        }
        for (person, own) in Dictionary(grouping: turns, by: \.person) {
            raise(.keys, own.count)
            for turn in own {
                raise(.turnSeconds, turn.ended.map { seconds(turn.asked..<max($0, turn.asked)) })
                if let failed = turn.failed { mark(.failedLive, person, from: failed) }
                for request in turn.requests.dropFirst() {
                    raise(.repeatSeconds, seconds(turn.asked..<request.event))
                    raise(.repeatQuestions, own.count { $0.asked > turn.asked && $0.asked < request.event })
                    mark(.repeated, person, from: request.event)
                    let isLater = lives.life(at: request.event) > lives.life(at: turn.asked)
                    if isLater { mark(.repeatedAfterRestart, person, from: request.event) }
                    let isElsewhere = (request.connection == nil) != (turn.request.connection == nil)
                    if isElsewhere { mark(.repeatedElsewhere, person, from: request.event) }
                }
            }
        }
    }

    private mutating func countSessions() {
        var messages: [ScopedName: Set<String>] = [:]
        func note(_ ids: [String?], _ name: ScopedName, at event: Int, in count: inout Self) {
            let before = messages[name]?.count ?? 0
            messages[name, default: []].formUnion(ids.compactMap(\.self))
            let now = messages[name]?.count ?? 0
            if before < 100, now >= 100 { count.mark(.longSession, name.principal, from: event, to: count.end) }
            count.raise(.sessionMessages, now)
        }
        for frame in frames {
            let person = person(of: frame)
            let isFailure = frame.isReplayed && frame.kind == .error && frame.turnId != nil
            if isFailure { mark(.failedInReplay, person, from: frame.event) }
            guard let session = frame.sessionId else { continue }
            note([frame.messageId], ScopedName(session, of: person), at: frame.event, in: &self)
        }
        for exchange in exchanges where exchange.sent.method == "GET" {
            guard let person = exchange.sent.principal else { continue }
            raise(.readBytes, exchange.received?.body.utf8.count)
            if let read = ObservedSessionRead(exchange) {
                note(read.messages.map(\.id), ScopedName(read.sessionId, of: person), at: read.event, in: &self)
                if read.turns.contains(where: { $0.status == "failed" }) {
                    mark(.failedInRead, person, from: read.event)
                }
            }
            if let list = ObservedListRead(exchange) {
                raise(.sessions, list.entries.count)
                raise(.sessionMessages, list.entries.compactMap(\.messageCount).max())
            }
        }
        raise(.sessions, Dictionary(grouping: messages.keys, by: \.principal).values.map(\.count).max())
    }

    private mutating func countSyncs() {
        raise(.numbers, frames.compactMap(\.seq).max())
        for (connection, own) in Dictionary(grouping: syncs, by: \.connection) {
            let person = connections[connection].principal
            var pages: [ObservedSync] = []
            for sync in own {
                guard let result = sync.result else { continue }
                // A sync from another position begins a new series of pages.
                if let last = pages.last?.missed.last?.seq, sync.lastSeqSeen != last { pages = [] }
                pages.append(sync)
                raise(.pages, pages.count)
                raise(.replayBytes, result.wireBytes)
                let isKnown = sync.missed.map {
                    NumberedFrame.isInStream($0.kind) || NumberedFrame.isOutsideStream($0.kind)
                }
                if isKnown.dropFirst().dropLast().contains(false) { mark(.unknownInPage, person, from: result.event) }
                if let reason = sync.reason, reason != "too_many" { mark(.replayLost, person, from: result.event) }
                let first = pages[0].request.event
                let live = received[received.boundary { $0.event > first }...].prefix { $0.event < result.event }
                    .count { $0.seq != nil && self.person(of: $0) == person }
                raise(.framesDuringSync, live)
                if live > 0 { mark(.liveDuringSync, person, from: first, to: result.event) }
                if !result.hasMore { pages = [] } else { mark(.page, person, from: result.event) }
            }
        }
    }

    private mutating func countProcesses() {
        let steps = turns.flatMap { [$0.acked, $0.ended] }.compactMap(\.self)
        for (life, ending) in lives.ended {
            markAmidTurn(.restartAmidTurn, at: ending.event)
            let open = connections.filter { $0.isGreeted(before: ending.event) && $0.isOpen(at: ending.event) }
            let writes = steps.count { $0 < ending.event && $0 >= lives.start(of: life) ?? -1 }
            raise(ending.cause == .stopped ? .openAtStop : .writes, ending.cause == .stopped ? open.count : writes)
        }
        raise(.restarts, lives.life(at: .max))
        for fault in lives.faults { mark(.refusedWrites, from: fault.start, to: fault.end) }
    }

    private mutating func countTexts() {
        var kinds: Set<Int> = []
        var seen: Set<ScopedName> = []
        for frame in frames { note(frame.text, of: person(of: frame), at: frame.event) }
        for turn in turns {
            let text = turn.request.prompt
            note(text, of: turn.person, at: turn.asked)
            // The beginning of a text shows its kind, and reading megabytes takes time.
            let own = [
                text.utf8.prefix(1_000).contains { $0 >= 0xF0 },
                text.first?.isWhitespace == true || text.last?.isWhitespace == true,
                text.utf8.count < 1_000 && !seen.insert(ScopedName(text, of: turn.person)).inserted,
            ]
            if own.contains(true) { mark(.unusualText, turn.person, from: turn.asked) }
            kinds.formUnion(own.indices.filter { own[$0] })
        }
        for own in Dictionary(grouping: turns, by: \.person).values {
            for names in [Set(own.map(\.key)), Set(own.compactMap(\.session))] {
                if Set(names.map { $0.lowercased() }).count < names.count { kinds.insert(3) }
            }
        }
        raise(.kindsOfText, kinds.count)
        let sizes = frames.compactMap { frame in frame.messageId.map { ($0, frame.text?.utf8.count ?? 0) } }
        raise(.receivedBytes, Dictionary(sizes, uniquingKeysWith: max).values.reduce(0, +))
    }

    private mutating func note(_ text: String?, of person: String, at event: Int) {
        raise(.textBytes, text?.utf8.count)
        if text?.utf8.count ?? 0 >= 64_000 { mark(.longText, person, from: event) }
    }

    private mutating func countRefusals() {
        let greetings = Set(connections.compactMap(\.connected))
        var (refusalsInARow, refusedPushes) = (0, 0)
        for (index, event) in history.events.enumerated() {
            let status: Int? =
                switch event.kind {
                case .refused(let status, _): status
                case .close(.fromServer, 4001, _): 401
                case .response(let response) where event.lane != .push: response.status
                default: history.frames[index]?.code == "rate_limited" ? 429 : nil
                }
            if status == 429 { mark(.rateLimited, from: index) }
            if status == 401 { mark(.wrongToken, from: index) }
            if status == 401 { refusalsInARow += 1 } else if greetings.contains(index) { refusalsInARow = 0 }
            raise(.wrongTokens, refusalsInARow)
            guard case .response(let response) = event.kind, event.lane == .push else { continue }
            refusedPushes = response.status < 300 ? 0 : refusedPushes + 1
            raise(.refusedPushes, refusedPushes)
        }
    }
}
