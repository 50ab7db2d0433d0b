import Holdfast
import JSON

extension Defect {
    static let pushForgetsThoseWhoLeft = Defect(
        "push-forgets-those-who-left", .PUSH, 1, "Sends notices only while somebody is connected to see the answer.")
    static let pushComesBeforeStoring = Defect(
        "push-comes-before-storing", .PUSH, 2, "Sends the notice a second before it stores the answer.")
    static let pushNamesNoMessage = Defect("push-names-no-message", .PUSH, 3, "Sends notices without `messageId`.")
    static let pushNamesTheQuestion = Defect(
        "push-names-the-question", .PUSH, 3, "Names the question in `messageId`, not the answer.")
    static let pushNamesNoSession = Defect("push-names-no-session", .PUSH, 3, "Sends notices without `sessionId`.")
    static let pushForgetsItsType = Defect("push-forgets-its-type", .PUSH, 3, "Sends no `apns-push-type`.")
    static let pushCarriesTheWholeAnswer = Defect(
        "push-carries-the-whole-answer", .PUSH, 4, "Adds the whole answer to the payload, whatever its size.")
    static let pushThreadsByApp = Defect(
        "push-threads-by-app", .PUSH, 5, "Sets the same `thread-id` for all sessions.")
    static let pushHasNoThread = Defect("push-has-no-thread", .PUSH, 5, "Sends notices without `thread-id`.")
    static let pushCollapsesByLongNames = Defect(
        "push-collapses-by-long-names", .PUSH, 6, "Joins session, turn and message to one `apns-collapse-id`.")
    static let pushShowsTooMuch = Defect(
        "push-shows-too-much", .PUSH, 7, "Shows 201 characters of an answer that is longer.")
    static let pushCutsSurrogatesAt60 = Defect(
        "push-cuts-surrogates-at-60", .PUSH, 7, "Cuts the body after 60 UTF-16 units, also inside a pair.")
    static let pushCutsSurrogatesAt100 = Defect(
        "push-cuts-surrogates-at-100", .PUSH, 7, "Cuts the body after 100 UTF-16 units, also inside a pair.")
    static let pushCutsSurrogatesAt200 = Defect(
        "push-cuts-surrogates-at-200", .PUSH, 7, "Cuts the body after 200 UTF-16 units, also inside a pair.")
    static let pushWritesHalfAnEmoji = Defect(
        "push-writes-half-an-emoji", .PUSH, 7,
        "Cuts the body after 200 UTF-16 units and writes the first half of a pair as a lone escape.")
    static let pushCutsClusters = Defect(
        "push-cuts-clusters", .PUSH, 7, "Cuts the body after 199 scalars, also inside what people see as one character."
    )
    static let pushCutsBytes = Defect(
        "push-cuts-bytes", .PUSH, 7, "Cuts the body after 200 bytes, also inside a character.")
    static let pushAnnouncesRepeats = Defect(
        "push-announces-repeats", .PUSH, 8, "Sends the notice again when a finished question is repeated.")
    static let pushAnnouncesReplays = Defect(
        "push-announces-replays", .PUSH, 8, "Sends the notice again when its `done` is replayed.")
    static let pushAnnouncesAgainAfterRestart = Defect(
        "push-announces-again-after-restart", .PUSH, 8, need: .restart,
        "Sends the notice of the newest answer of each session again after a start.")
    static let pushSendsTwice = Defect("push-sends-twice", .PUSH, 8, "Sends each notice twice.")
    static let pushDropsDevicesOnAny400 = Defect(
        "push-drops-devices-on-any-400", .PUSH, 10, "Forgets a device after a 400 of any reason.")
    static let pushDropsDevicesOnAnyRefusal = Defect(
        "push-drops-devices-on-any-refusal", .PUSH, 10, "Forgets a device after any refusal.")
    static let pushKeepsGoneDevices = Defect(
        "push-keeps-gone-devices", .PUSH, 11, "Goes on with a device that is gone for good.")
    static let pushHoldsUpTheTurn = Defect(
        "push-holds-up-the-turn", .PUSH, 12, "Starts the next turn of a session when the push service has answered.")
    static let pushAnnouncesWhatItCouldNotStore = Defect(
        "push-announces-what-it-could-not-store", .PUSH, 13, need: .storageFault,
        "Sends the notice for an answer although it could not be stored.")
    static let pushTitlesAreIds = Defect("push-titles-are-ids", .PUSH, 14, "Shows the session id as the title.")

    static let push = [
        pushForgetsThoseWhoLeft, pushComesBeforeStoring, pushNamesNoMessage, pushNamesTheQuestion, pushNamesNoSession,
        pushForgetsItsType, pushCarriesTheWholeAnswer, pushThreadsByApp, pushHasNoThread, pushCollapsesByLongNames,
        pushShowsTooMuch, pushCutsSurrogatesAt60, pushCutsSurrogatesAt100, pushCutsSurrogatesAt200, pushCutsClusters,
        pushCutsBytes, pushAnnouncesRepeats, pushAnnouncesReplays, pushAnnouncesAgainAfterRestart, pushSendsTwice,
        pushDropsDevicesOnAny400, pushDropsDevicesOnAnyRefusal, pushKeepsGoneDevices, pushHoldsUpTheTurn,
        pushAnnouncesWhatItCouldNotStore, pushTitlesAreIds, pushWritesHalfAnEmoji,
    ]
}

extension Saboteur {
    /// Whether an outcome ends the use of a device.
    func endsTheDevice(_ outcome: PushOutcome) -> Bool {
        if has(.pushKeepsGoneDevices) { return false }
        guard case .answered(let status, _) = outcome, status >= 300 else { return false }
        if has(.pushDropsDevicesOnAny400), status == 400 { return true }
        return has(.pushDropsDevicesOnAnyRefusal) || outcome.endsTheDevice
    }

    /// A notice as broken servers write it.
    func spoiled(_ notice: PushNotice, _ names: TurnNames, answer: String) -> PushNotice {
        guard !isHealthy, var payload = try? JSONParser.value(notice.payload) else { return notice }
        var notice = notice
        if has(.pushNamesNoMessage) { payload["messageId"] = nil }
        if has(.pushNamesTheQuestion) { payload["messageId"] = .string(names.question) }
        if has(.pushNamesNoSession) { payload["sessionId"] = nil }
        if has(.pushForgetsItsType) { notice.headers["apns-push-type"] = nil }
        if has(.pushCarriesTheWholeAnswer) { payload["text"] = .string(answer) }
        var aps = payload["aps"] ?? [:]
        if has(.pushThreadsByApp) { aps["thread-id"] = "answers" }
        if has(.pushHasNoThread) { aps["thread-id"] = nil }
        if has(.pushCollapsesByLongNames) {
            let message = payload["messageId"]?.stringValue ?? ""
            notice.headers["apns-collapse-id"] = [names.session, names.turn, message].joined(separator: ".")
        }
        var alert = aps["alert"] ?? [:]
        if let body = cut(answer) { alert["body"] = .string(body) }
        if has(.pushTitlesAreIds) { alert["title"] = .string(names.session) }
        aps["alert"] = alert
        payload["aps"] = aps
        notice.payload = has(.pushWritesHalfAnEmoji) ? Self.writingHalves(payload.text()) : payload.text()
        return notice
    }

    /// The body as broken servers cut it; nil where they cut it well.
    private func cut(_ answer: String) -> String? {
        if has(.pushWritesHalfAnEmoji) { return Self.cut(answer, afterUnits: 200) }
        if has(.pushShowsTooMuch) { return String(answer.prefix(201)) }
        if has(.pushCutsClusters), answer.unicodeScalars.count > 199 {
            return String(String.UnicodeScalarView(answer.unicodeScalars.prefix(199))) + "…"
        }
        if has(.pushCutsBytes) { return String(decoding: answer.utf8.prefix(200), as: UTF8.self) }
        let units = [
            (Defect.pushCutsSurrogatesAt60, 60), (.pushCutsSurrogatesAt100, 100), (.pushCutsSurrogatesAt200, 200),
        ].first { has($0.0) }?.1
        return units.map { String(decoding: Array(answer.utf16.prefix($0)), as: UTF16.self) }
    }
}

extension ServerCore {
    /// Whether broken servers send the notice first and store the answer later, and did so just now.
    mutating func announcesEarly(_ turn: LiveTurn, _ text: String) -> Bool {
        guard broken(.pushComesBeforeStoring), mischief.announced[turn.names.turn] == nil,
            connections.sockets(of: turn.principal).isEmpty
        else { return false }
        let message = ids.next("msg")
        mischief.announced[turn.names.turn] = message
        push(turn.names, of: turn.principal, message: message, text: text)
        turns[turn.names.turn]?.state = .running
        turns[turn.names.turn]?.steps = [.wait(1000), .reply(text)]
        return true
    }

    /// Announces an answer that could not be stored, as broken servers do.
    mutating func announceUnstored(_ turn: LiveTurn, _ answer: StoredRecord.Answer) {
        guard broken(.pushAnnouncesWhatItCouldNotStore), connections.sockets(of: turn.principal).isEmpty else { return }
        push(turn.names, of: turn.principal, message: answer.message, text: answer.text)
    }

    /// Announces what a repeat asked for again, as broken servers do.
    mutating func announceRepeat(_ names: TurnNames, _ ending: SessionStore.Ending?, of principal: String) {
        guard broken(.pushAnnouncesRepeats), case .answered(let message, let text)? = ending else { return }
        push(names, of: principal, message: message, text: text)
    }

    /// Announces what a replay holds, as broken servers do.
    mutating func announceReplay(_ frames: [JSONValue], of principal: String) {
        guard broken(.pushAnnouncesReplays) else { return }
        for frame in frames where frame["type"] == "done" {
            guard let session = frame["sessionId"]?.stringValue, let turn = frame["turnId"]?.stringValue,
                let message = frame["messageId"]?.stringValue, let text = frame["text"]?.stringValue
            else { continue }
            push(
                TurnNames(session: session, turn: turn, question: message, key: nil), of: principal, message: message,
                text: text)
        }
    }

    /// Announces the newest answers after a start, as broken servers do.
    mutating func announceAfterStart() {
        guard broken(.pushAnnouncesAgainAfterRestart) else { return }
        for session in sessions.all.sorted(by: { $0.id < $1.id }) {
            guard let turn = session.turns.last, case .answered(let message, let text)? = turn.ending else { continue }
            push(
                TurnNames(session: session.id, turn: turn.id, question: turn.question, key: turn.key),
                of: session.owner, message: message, text: text)
        }
    }

    /// Whether broken servers keep the next turn of a session waiting for the push service.
    mutating func waitsForPush(_ turn: LiveTurn) -> Bool {
        guard broken(.pushHoldsUpTheTurn), !outbox.isEmpty else { return false }
        mischief.heldSessions[turn.names.turn] = saboteur.line(of: turn.names.session)
        return true
    }

    /// Starts what waited for the push service.
    mutating func letGo(_ turn: String) {
        guard let session = mischief.heldSessions.removeValue(forKey: turn) else { return }
        leave(turn, session)
    }
}
