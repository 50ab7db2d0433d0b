import Holdfast
import JSON
import Transcript

/// Checks of notifications: what they say.
enum PUSH {
    static let checks: [Check] = [
        Check(.PUSH, 1, leftPrincipalsAreCalled), Check(.PUSH, 2, announcedAnswersAreStored),
        Check(.PUSH, 3, pushesAreValidAndNameTheAnswer), Check(.PUSH, 4, payloadsFit),
        Check(.PUSH, 5, threadsAreSessions), Check(.PUSH, 6, collapseIdsFit), Check(.PUSH, 7, bodiesAreCutWell),
        Check(.PUSH, 8, turnsAreAnnouncedOnce), Check(.PUSH, 10, devicesOutliveOtherRefusals),
        Check(.PUSH, 11, goneDevicesAreLeftAlone), Check(.PUSH, 12, turnsDoNotWaitForPushes),
        Check(.PUSH, 13, unstoredAnswersAreNotAnnounced), Check(.PUSH, 14, titlesAreForPeople),
    ]

    /// The most bytes of a payload.
    private static let maxPayloadBytes = 4096
    /// The most bytes of a collapse id.
    private static let maxCollapseBytes = 64
    /// The most characters of a body.
    private static let maxBodyCharacters = 200

    /// PUSH-3: "A server MUST send push payloads and headers that are valid against their schemas, with a `sessionId` and
    /// `messageId` that name the stored answer".
    ///
    /// Once for each payload, once for its headers where they were recorded, and once for its ids where a session read that
    /// began after it tells. An answer that is not there yet is the matter of PUSH-2.
    static func pushesAreValidAndNameTheAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            if let problem = payloadProblem(of: push, history.schemas) {
                evidence.violate(
                    "a push payload is not valid: \(problem.instance) \(problem.what)", expected: problem.expected,
                    actual: problem.what, at: [push.event])
                continue
            }
            evidence.keep()
            if !push.request.headers.isEmpty {
                evidence.test(no: headerProblem(of: push, history.schemas)) { problem in
                    Finding(
                        "the headers of a push are not valid: \(problem.instance) \(problem.what)",
                        expected: problem.expected, actual: problem.what, at: [push.event])
                }
            }
            switch history.naming(of: push) {
            case .stored: evidence.keep()
            case .wrong(let actual, let event):
                evidence.violate(
                    "a push does not name the stored answer", expected: "sessionId and messageId of the stored answer",
                    actual: actual, at: event.map { [push.event, $0] } ?? [push.event])
            case .missing, .unread: break
            }
        }
    }

    /// A missing thread id is the matter of PUSH-5.
    private static func payloadProblem(of push: ObservedPush, _ schemas: MessageSchemas) -> MessageProblem? {
        schemas.validate(text: push.request.body ?? "", as: "push").first { $0.clause != ClauseID(.PUSH, 5) }
    }

    /// A collapse id that is too long is the matter of PUSH-6.
    private static func headerProblem(of push: ObservedPush, _ schemas: MessageSchemas) -> MessageProblem? {
        var fields = JSONObject()
        for header in push.request.headers where fields[header.name] == nil {
            fields[header.name] = .string(header.value)
        }
        let isTooLong = (push.request[header: "apns-collapse-id"]?.utf8.count ?? 0) > maxCollapseBytes
        return schemas.validate(.object(fields), as: "pushHeaders").first {
            !(isTooLong && $0.clause == ClauseID(.PUSH, 6))
        }
    }

    /// PUSH-4: "A server MUST send push payloads of at most 4096 bytes".
    ///
    /// Every payload that is too large counts; one that fits only where the announced answer is itself larger than a payload
    /// may be, so that something had to be done about it.
    static func payloadsFit(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            evidence.test(
                push.bytes <= maxPayloadBytes,
                keptIf: history.text(announcedBy: push).map { $0.utf8.count > maxPayloadBytes } ?? false,
                otherwise: "a push payload is too large", expected: "at most \(maxPayloadBytes) bytes",
                actual: "\(push.bytes) bytes", at: [push.event])
        }
    }

    /// PUSH-5: "A server MUST set `aps.thread-id` to the `sessionId`".
    ///
    /// Once for each payload whose session is known: it names one, or its turn does.
    static func threadsAreSessions(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes where push["aps"]?.objectValue != nil {
            guard let session = history.session(of: push) else { continue }
            let thread = push["aps"]?["thread-id"]
            evidence.test(
                thread == .string(session), otherwise: "a push stands in another thread than its session",
                expected: "thread-id \(shown(session))",
                actual: "thread-id \(shown(thread.map { $0.stringValue ?? $0.text() }))", at: [push.event])
        }
    }

    /// PUSH-6: "A server MUST keep `apns-collapse-id`, where it sends one, within 64 bytes".
    ///
    /// Once for each push whose headers were recorded: one without a collapse id keeps it, too.
    static func collapseIdsFit(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes where !push.request.headers.isEmpty {
            let id = push.request[header: "apns-collapse-id"] ?? ""
            evidence.test(
                id.utf8.count <= maxCollapseBytes, otherwise: "a collapse id is too long",
                expected: "at most \(maxCollapseBytes) bytes", actual: "\(id.utf8.count) bytes: \(shown(id))",
                at: [push.event])
        }
    }

    /// PUSH-7: "A server MUST limit `aps.alert.body` to 200 characters, cut between grapheme clusters".
    ///
    /// Characters are extended grapheme clusters. A short answer shown whole proves nothing; a body that is no beginning of
    /// the answer, such as a summary, is judged by its length alone.
    static func bodiesAreCutWell(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            guard let body = push.alertBody else { continue }
            let count = body.count
            if count > maxBodyCharacters {
                evidence.violate(
                    "the text of a push is too long", expected: "at most \(maxBodyCharacters) characters",
                    actual: "\(count) characters", at: [push.event])
                continue
            }
            guard let answer = history.text(announcedBy: push) else { continue }
            let cut = AnswerCut(of: body, from: answer)
            evidence.test(
                cut != .inside, keptIf: cut == .between || answer.count > maxBodyCharacters,
                otherwise: "the text of a push is cut inside a character", expected: "a cut between grapheme clusters",
                actual: "it ends in \(scalars(body.unicodeScalars.suffix(4)))", at: [push.event])
        }
    }

    /// Scalars by their numbers, because half a character looks like nothing.
    private static func scalars(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        scalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// PUSH-14: "A server SHOULD NOT show a raw id as the title of a notification".
    ///
    /// Once for each title, held against every id that anything in the history names.
    static func titlesAreForPeople(_ history: Observations, _ evidence: inout Evidence) {
        let ids = history.pushes.isEmpty ? [] : history.namedIDs
        for push in history.pushes {
            guard let title = push.alertTitle else { continue }
            let words = String(title.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
            evidence.test(
                !ids.contains(words), otherwise: "the title of a push is an id", expected: "a name for people",
                actual: shown(title), at: [push.event])
        }
    }
}
