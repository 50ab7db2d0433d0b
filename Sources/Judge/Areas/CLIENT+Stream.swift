import Holdfast
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-15: "A client MUST send `sync` from what it holds after each `connected` with an epoch, if it held a
    /// position or awaited a turn, and none without an epoch".
    ///
    /// Tested once for each greeting with an epoch to a client that certainly held a position, or showed that it
    /// awaited an answer. The position must be possible: not beyond the frames sent to the client before this greeting,
    /// and not before a frame that it certainly processed, unless a `sync` still has to fill a gap. CLIENT-19 judges a
    /// position of another stream.
    static func syncsStartAtThePosition(_ history: Observations, _ evidence: inout Evidence) {
        let places = history.clientPositions
        let questions = history.clientQuestions
        for (index, connection) in history.connections.enumerated() {
            guard let greeting = connection.greeting, let epoch = greeting.epoch,
                history.client.launch(at: greeting.event) != nil
            else { continue }
            let held = places.held(before: greeting.event)
            let sync = history.syncs.first { $0.connection == index }
            // A position that survived the end of the app is visible only in the `sync` that names it.
            let isKept =
                sync?.lastSeqSeen.map { $0 > 0 && $0 != greeting["lastSeq"]?.intValue } == true
                && !places.epochs(reportedBefore: greeting.event).isEmpty
            guard held != nil || isKept || history.isAwaiting(questions, at: greeting.event) else { continue }
            if let sync {
                judge(sync, on: greeting, epoch, held, places, into: &evidence)
            } else if let late = history.clientDeadline(
                after: greeting.event, within: history.clientBound(\.sync), on: index)
            {
                evidence.violate(
                    "the client sent no sync on a new connection, though it "
                        + (held == nil ? "awaited an answer" : "held a position"), expected: "a sync after connected",
                    actual: "none within the bound 'sync'", at: [greeting.event, late])
            }
        }
    }

    private static func judge(
        _ sync: ObservedSync, on greeting: Frame, _ current: String, _ held: NumberedFrame?,
        _ places: ClientPositions, into evidence: inout Evidence
    ) {
        guard let position = sync.lastSeqSeen else { return }
        let reported = places.epochs(reportedBefore: greeting.event)
        func test(_ holds: Bool, _ what: String, _ expected: String) {
            evidence.test(
                holds, otherwise: what, expected: expected, actual: sync.words,
                at: [held?.frame.event ?? greeting.event, sync.request.event])
        }
        let heldPosition = held.map { "epoch '\($0.epoch)', lastSeqSeen \($0.seq)" }
        guard let epoch = sync.request.epoch else {
            let expected = heldPosition ?? "an epoch, or lastSeqSeen 0"
            return test(held == nil && position == 0, "a sync names a position without its epoch", expected)
        }
        guard reported.contains(epoch) || epoch == current else {
            let expected = heldPosition ?? "an epoch that the server sent, or none"
            return test(false, "a sync names an epoch that the server never sent", expected)
        }
        let all = places.ceiling(of: epoch, before: sync.request.event)
        let ceiling = places.ceiling(of: epoch, before: sync.request.event, without: greeting)
        if position > all, reported.count > 1 || !reported.contains(epoch) { return }
        if !reported.contains(epoch), held != nil || position > 0 {
            test(false, "a sync names the new epoch instead of the old one", heldPosition ?? "lastSeqSeen 0")
        } else if position > ceiling {
            let expected = heldPosition ?? "lastSeqSeen of at most \(ceiling)"
            test(false, "a sync names a position that the client cannot have", expected)
        } else {
            let hasReconnected = held.map { $0.epoch == epoch && position < $0.seq } == true
            let holds = !hasReconnected || !places.isClosed(before: greeting.event)
            test(holds, "a sync names an earlier position than the client had", heldPosition ?? "")
        }
    }

    /// CLIENT-15, rule 2: without an epoch no `sync` is sent.
    ///
    /// Tested once for each greeting without an epoch to a client that had been greeted before, if it sent anything on
    /// that connection or over REST.
    static func syncNeedsAnEpoch(_ history: Observations, _ evidence: inout Evidence) {
        let greeted = history.client.attempts.filter { history.connections[$0].connected != nil }
        for (number, index) in greeted.enumerated() {
            let connection = history.connections[index]
            guard let greeting = connection.greeting, greeting.epoch == nil else { continue }
            let sent = connection.sent.filter { $0.isAfter(greeting.event) }
            let end = history.client.ends[index] ?? .max
            let asked = history.client.reads.contains { $0.isAsked(after: greeting.event) && $0.isAsked(before: end) }
            evidence.test(no: sent.first { $0.kind == .sync }, keptIf: number > 0 && (!sent.isEmpty || asked)) { sync in
                Finding(
                    "the client sent a sync to a server without replay", expected: "a read over REST", actual: "sync",
                    at: [greeting.event, sync.event])
            }
        }
    }

    /// CLIENT-17: "A client MUST read the session on its screen over REST after a `syncResult` with `complete: false`,
    /// until a read is answered, unless that is `too_many` with `more`".
    ///
    /// Tested once for each such answer, counted from its last page, while a session stays on the screen. A read that
    /// was pending when the answer arrived may suffice too, and proves nothing unless it fails. A refusal that another
    /// read would not change proves nothing either.
    static func gapsAreClosedByReads(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result, reported) in history.gaps {
            guard let session = history.client.state(at: result.event)?.sessionId else { continue }
            var read = OwedRead(
                session: session, cause: result.event, since: reported, bound: history.clientBound(\.rest),
                connection: sync.connection)
            let underWay = history.client.reads(of: session).filter {
                $0.isAsked(before: result.event) && history.end(of: $0).isAfter(result.event)
            }
            if let last = underWay.map({ history.end(of: $0) }).max() {
                guard underWay.allSatisfy(\.hasFailed) else { continue }
                (read.cause, read.bound) = (last, history.clientBound(\.backoff))
            }
            let stay = history.endOfStay(at: result.event)
            if read.follow(until: stay, in: history) == .answered {
                if !history.mayHaveRead(at: read.since, forOthersThan: read.cause) { evidence.keep() }
            } else if let late = read.late,
                // A session that left the screen by itself, such as one that does not exist, need not be read.
                history.client.states(from: result.event, to: late.event + 1).allSatisfy({ $0.sessionId == session })
            {
                evidence.violate(
                    read.finding(
                        "the syncResult is incomplete, and the client does not read the session", at: result.event, late
                    ))
            }
        }
    }

    /// CLIENT-16: "A client MUST answer a `syncResult` with `more: true` by a `sync` from the last `seq` of that page".
    ///
    /// Tested once for each page with frames. Live frames do not belong to it, and later numbers are still to come.
    static func pagesAreFollowed(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard result.hasMore, let last = sync.missed.last?.seq else { continue }
            let next = history.syncs.filter { $0.connection == sync.connection && $0.request.isAfter(result.event) }
            let expected = "a sync with epoch \(shown(result.epoch)), lastSeqSeen \(last)"
            if next.contains(where: { $0.lastSeqSeen == last && $0.request.epoch == result.epoch }) {
                evidence.keep()
            } else if let wrong = next.first {
                evidence.violate(
                    "the sync for the next page does not start at the end of this one", expected: expected,
                    actual: wrong.words, at: [result, wrong.request])
            } else if let late = history.clientDeadline(
                after: result.event, within: history.clientBound(\.sync), on: sync.connection)
            {
                evidence.violate(
                    "the client does not ask for the next page", expected: expected,
                    actual: "none within the bound 'sync'", at: [result.event, late])
            }
        }
    }

    /// CLIENT-19, rule 3: frames of unknown types advance the position.
    ///
    /// Tested once for each first `sync` of a connection after such a frame had the greatest number of its epoch and
    /// was certainly processed.
    static func unknownTypesAdvancePosition(_ history: Observations, _ evidence: inout Evidence) {
        let places = history.clientPositions
        for (sync, position) in history.firstSyncs {
            let start = history.client.launch(at: sync.request.event)?.events.lowerBound ?? 0
            let end = history.connections[sync.connection].connected ?? sync.request.event
            let given = places.given(from: start, to: end)
            guard let last = given.filter({ $0.epoch == given.last?.epoch }).max(by: { $0.seq < $1.seq }),
                !last.isOfKnownType, !last.frame.isReplayed, places.handled(last.frame, before: end),
                places.isClosed(before: end), sync.request.epoch.map({ $0 == last.epoch }) ?? true
            else { continue }
            evidence.test(
                position >= last.seq, otherwise: "a numbered frame of an unknown type did not advance the position",
                expected: "lastSeqSeen \(last.seq)", actual: "lastSeqSeen \(position)", at: [last.frame, sync.request])
        }
    }

    /// CLIENT-26, rule 3: a live frame is shown at once, whatever numbers before it are missing.
    ///
    /// Tested once for each live frame with a new message of the session on the screen, whether or not its number is
    /// the next one for the client. The bound is that of an immediate answer, and involves no timer of the client. A
    /// client that still polls for the answer has not processed the frame.
    static func sparseFramesAreShown(_ history: Observations, _ evidence: inout Evidence) {
        let places = history.clientPositions
        for item in places.given where !item.frame.isReplayed && ["done", "message"].contains(item.frame.type) {
            let frame = item.frame
            guard let state = history.client.state(at: frame.event), state.sessionId == frame.sessionId,
                let message = ClientDelivery(frame), !message.isShown(in: state),
                // Before the next sample, the session may be left: by the person, or because it does not exist.
                history.screen(at: frame.event)?.sessionId == frame.sessionId,
                frame.sessionId.map({ history.isGone($0, before: frame.event) }) != true
            else { continue }
            let end = min(
                history.end(of: frame.event, at: departures.union(["hang"])),
                history.connections[frame.connection].ending?.event ?? .max)
            let poll = history.client.reads(of: frame.sessionId ?? "").asked(after: frame.event)
                .first { $0.isAsked(before: end) }?.request
            let last = poll.flatMap { history.samples(after: frame.event, before: $0).last }
            let outcome = history.shown(after: frame.event, within: history.timeouts.pong, before: end) { sample in
                sample.event == last?.event && sample.state.thinking
                    && history.hadTime(for: frame.event, before: sample.event)
            } holds: {
                message.isShown(in: $0)
            }
            evidence.test(outcome) { late in
                Finding(
                    "a live frame is not shown",
                    expected: "message \(shown(frame.messageId)) of seq \(item.seq) on the screen, "
                        + "whatever numbers before it are missing",
                    actual: late == last?.event ? "the client still polls for it" : "not within the bound 'pong'",
                    at: [frame.event, late])
            }
        }
    }

    // MARK: Frames that a position may not pass

    /// CLIENT-19: "A client MUST move its position over frames of unknown types too, never past those that a `sync` has
    /// still to bring, and change epoch and number together".
    ///
    /// Tested once for each first `sync` of a connection, if frames are due that the client has not received: an
    /// earlier `sync` is unanswered, got an incomplete page, or was answered as incomplete without a later read of the
    /// session on the screen. A client that abandoned an unanswered `sync` and read a session no longer waits for it;
    /// the specification does not say what it may do then.
    static func holesAreKept(_ history: Observations, _ evidence: inout Evidence) {
        let places = history.clientPositions
        for (sync, position) in history.firstSyncs {
            guard let greeted = history.connections[sync.connection].connected, let hole = places.hole(before: greeted),
                hole.sync.connection != sync.connection, let old = history.connections[hole.sync.connection].greeting
            else { continue }
            if hole.reported == nil, places.isRead(since: hole.sync, before: sync.request.event) { continue }
            let given = places.given(from: history.client.installation(at: greeted), to: sync.request.event)
            let allowed: Int
            if let reported = hole.reported, reported.epoch != hole.epoch, sync.request.epoch == reported.epoch {
                guard position <= places.ceiling(of: reported.epoch, before: sync.request.event),
                    lacks(given, of: reported.epoch, from: 0, to: max(position, reported.lastSeq))
                else { continue }
                allowed = 0
            } else {
                let last = hole.reported?.lastSeq ?? (old.epoch == hole.epoch ? old["lastSeq"]?.intValue : nil) ?? 0
                let isNewStream = hole.reported.map { $0.epoch != hole.epoch } ?? (old.epoch != hole.epoch)
                guard sync.request.epoch.map({ $0 == hole.epoch }) ?? (position == 0),
                    isNewStream || lacks(given, of: hole.epoch, from: hole.floor, to: last)
                else { continue }
                allowed = hole.floor
            }
            evidence.test(
                position <= allowed, otherwise: "the position advanced past frames that a pending sync must bring",
                expected: "lastSeqSeen of at most \(allowed)",
                actual: "epoch \(shown(sync.request.epoch)), lastSeqSeen \(position)",
                at: [hole.sync.request.event, sync.request.event])
        }
    }

    /// Whether frames lack a number of an epoch after one number and up to another.
    private static func lacks(_ given: [NumberedFrame], of epoch: String?, from floor: Int, to last: Int) -> Bool {
        guard last > floor else { return false }
        return Set(given.filter { $0.epoch == epoch && $0.seq > floor && $0.seq <= last }.map(\.seq)).count
            < last - floor
    }

    /// CLIENT-19, rule 2: epoch and number of a position change together.
    ///
    /// Tested once for each `sync` that names an epoch after two were announced: its number must belong to that epoch.
    /// Once a client certainly processed a frame of the newest epoch, with nothing pending, it names no older one.
    static func newEpochsAreComplete(_ history: Observations, _ evidence: inout Evidence) {
        let places = history.clientPositions
        for sync in history.syncs {
            guard let epoch = sync.request.epoch, let position = sync.lastSeqSeen else { continue }
            let reported = places.epochs(reportedBefore: sync.request.event)
            guard reported.count > 1, let age = reported.firstIndex(of: epoch) else { continue }
            let ceiling = places.ceiling(of: epoch, before: sync.request.event)
            let held = places.held(before: history.connections[sync.connection].connected ?? sync.request.event)
            let actual = "epoch '\(epoch)', lastSeqSeen \(position)"
            if position > ceiling {
                evidence.violate(
                    "a sync combines an epoch with a number from another epoch",
                    expected: "lastSeqSeen of at most \(ceiling)",
                    actual: actual, at: [sync.request.event])
            } else if let held, let newest = reported.firstIndex(of: held.epoch), age < newest,
                places.isClosed(before: history.connections[sync.connection].connected ?? sync.request.event)
            {
                evidence.violate(
                    "a sync names the old epoch after frames of the new one",
                    expected: "epoch '\(held.epoch)', lastSeqSeen \(held.seq)", actual: actual,
                    at: [held.frame.event, sync.request.event])
            } else {
                evidence.keep()
            }
        }
    }
}
