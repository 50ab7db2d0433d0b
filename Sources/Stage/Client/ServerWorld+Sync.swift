import Holdfast
import HoldfastJSON

extension ServerWorld {
    mutating func sync(_ frame: JSONValue, on connection: Int) {
        effects.append(.arrived(WorldArrival([.sync], connection: connection)))
        guard let position = frame["lastSeqSeen"]?.intValue, position >= 0 else {
            return send(Self.error("bad_request", "lastSeqSeen is not a position"), to: connection)
        }
        let rule = follow(.sync).rule
        switch rule.action {
        case .drop: connections[connection]?.isStuck = true
        case .hold, .delay:
            let early = replay(for: frame)
            hold(Held(what: .sync(frame), connection: connection, comes: .sync, earlyFrame: early), by: rule)
        case .incomplete:
            let frames = kept.filter { $0.seq > position }.prefix(rule.size ?? 0).map(\.frame)
            send(result(missed: frames, reason: rule.reason ?? "evicted", hasMore: false), to: connection)
        case .page: send(replay(for: frame, page: rule.size, reason: rule.reason), to: connection)
        case .cut: cut(connection, rule.cut ?? .reset)
        default: send(replay(for: frame), to: connection)
        }
    }

    /// The correct answer to a `sync`; a page may be given a reason other than its size.
    func replay(for frame: JSONValue, page: Int? = nil, reason: String? = nil) -> JSONValue {
        let position = frame["lastSeqSeen"]?.intValue ?? 0
        if let epoch = frame["epoch"]?.stringValue {
            if epoch != self.epoch { return result(missed: [], reason: "epoch_changed", hasMore: false) }
        } else if position > 0, !inheritsEpochs {
            return result(missed: [], reason: "unknown_position", hasMore: false)
        }
        guard position <= lastSeq else { return result(missed: [], reason: "unknown_position", hasMore: false) }
        let frames = kept.filter { $0.seq > position }.map(\.frame)
        let limits = [page, frame["limit"]?.intValue].compactMap { $0 }.filter { $0 > 0 }
        let shown = Array(frames.prefix(limits.min() ?? .max))
        let hasMore = shown.count < frames.count
        if position < evictedThrough, reason == nil || !hasMore {
            return result(missed: shown, reason: "evicted", hasMore: false)
        }
        return result(missed: shown, reason: hasMore ? reason ?? "too_many" : nil, hasMore: hasMore)
    }

    private func result(missed: [JSONValue], reason: String?, hasMore: Bool) -> JSONValue {
        JSONValue(members: [
            "type": "syncResult", "epoch": epoch, "lastSeq": lastSeq, "missed": missed, "complete": reason == nil,
            "reason": reason, "more": hasMore.orAbsent,
        ])
    }

    // MARK: held answers

    /// Sends an answer that was delayed until now.
    package mutating func due(_ token: Int) {
        guard let position = held.firstIndex(where: { $0.id == token }) else { return }
        answer(held.remove(at: position), asAsked: true)
    }

    /// Returns false if nothing of the kind is held back.
    mutating func release(_ release: ClientRelease) -> Bool {
        let matches = held.indices.filter { index in
            held[index].comes == release.comes && (release.session == nil || held[index].session == release.session)
        }
        if let position = release.isNewest ? matches.last : matches.first {
            answer(held.remove(at: position), asAsked: release.isAsAsked)
            return true
        }
        guard release.comes == .post else { return false }
        // Releasing a question that was held back means ending its turn, which answers it.
        let waiting = turns.values.filter {
            $0.status == .running && !$0.waiting.isEmpty && (release.session == nil || $0.session == release.session)
        }.map(\.number)
        guard let number = release.isNewest ? waiting.max() : waiting.min() else { return false }
        finish(number)
        return true
    }

    mutating func answer(_ it: Held, asAsked: Bool) {
        switch it.what {
        case .greeting(let changes): if let connection = it.connection { greet(connection, changes) }
        case .sync(let frame):
            guard let connection = it.connection else { return }
            send(asAsked ? it.earlyFrame ?? replay(for: frame) : replay(for: frame), to: connection)
        case .read, .list, .post:
            guard let request = it.request else { return }
            let isPast = asAsked || it.comes == .post
            answer(request, (isPast ? it.earlyAnswer : nil) ?? answer(to: it.what, in: sessions))
        }
    }
}
