import Holdfast
import JSON
import Transcript

/// Checks of questions over REST, of reads while turns run, and of short texts.
extension REST {
    /// REST-9: "A server MUST answer a `POST /api/chat` whose body is not valid against its schema, or whose last
    /// message is not the user's, with 400 and an error body".
    ///
    /// An ill-formed `sessionId` alone is the matter of ID-8; duplicate names, half surrogates and fractions may be taken.
    static func malformedQuestionsAreBadRequests(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat {
            guard let text = exchange.sent.body, text.utf8.count <= 1_048_576, let response = exchange.response,
                let status = exchange.status, let principal = exchange.sent.principal, principal != "other",
                status != 429, isMalformed(text, history)
            else { continue }
            evidence.test(
                status == 400 && exchange.answer?.root["error"]?.stringValue != nil,
                otherwise: "a malformed question got another answer", expected: "400 with an error body",
                actual: status == 400 ? "400 with \(shown(exchange.received?.body))" : "\(status)",
                at: [exchange.request, response])
        }
    }

    private static func isMalformed(_ text: String, _ history: Observations) -> Bool {
        let document: JSONDocument
        do {
            document = try JSONParser.document(text)
        } catch {
            if case .tooDeep = error.kind { return false }
            return true
        }
        guard document.flaws.isEmpty else { return false }
        let session = document.root["sessionId"]
        if !endsWithUser(document.root) { return true }
        return history.coreSchemas.validate(document.root, as: "chatRequest").contains { problem in
            let isIllFormedID = problem.instance == JSONPointer("/sessionId") && session?.stringValue != nil
            return problem.flaw == nil && !isIllFormedID
        }
    }

    /// REST-10: "A server MUST answer a `POST /api/chat` whose turn failed with a status from 500 to 599 and an error
    /// body".
    ///
    /// Only a scripted agent can be made to fail on purpose. Refusals before the turn do not count.
    static func failedTurnsAreServerErrors(_ history: Observations, _ evidence: inout Evidence) {
        for turn in TURN.scriptedToFail(history) {
            for request in turn.requests {
                guard case .exchange(let index) = request.origin else { continue }
                let exchange = history.exchanges[index]
                if let response = exchange.response, let status = exchange.status {
                    if request.refusal != nil, ErrorMeaning.refusals.contains(request.refusalCode ?? "") { continue }
                    evidence.test(
                        (500...599).contains(status) && exchange.answer?.root["error"]?.stringValue != nil,
                        otherwise: "a failed turn was answered in another way",
                        expected: "500 to 599 with an error body",
                        actual: (500...599).contains(status)
                            ? "\(status) with \(shown(exchange.received?.body))" : "\(status)",
                        at: [exchange.request, response])
                } else if let end = history.deadline(
                    after: exchange, within: history.timeouts.turn + request.scriptedWait)
                {
                    evidence.violate(
                        "a failed turn was not answered", expected: "500 to 599 with an error body", actual: "nothing",
                        at: [exchange.request, end])
                }
            }
        }
    }

    /// REST-11: "A server MUST return from `POST /api/chat` exactly the text that it stored as the answer".
    ///
    /// Exercised once per response and read begun after it.
    static func responsesSayWhatIsStored(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            for request in turn.requests {
                guard case .exchange(let index) = request.origin, let response = request.success,
                    let body = history.exchanges[index].answer?.root, let text = body["text"]?.stringValue
                else { continue }
                for read in history.reads(of: turn) where read.request > response {
                    let named = read.messages.firstIndex {
                        $0.role == "assistant" && $0.id != nil && $0.id == body["messageId"]?.stringValue
                    }
                    guard let place = named ?? history.answer(of: turn, in: read) else { continue }
                    let stored = read.messages[place].text
                    evidence.test(
                        exactlyEqual(stored, text), otherwise: "a response says something else than the stored answer",
                        expected: shown(stored), actual: shown(text), at: [response, read.event])
                }
            }
        }
    }

    /// REST-12: "A server MUST answer session lists and session reads within `rest` while turns run, also in the same
    /// session".
    ///
    /// Exercised by each read that was begun while a turn of the same principal ran.
    static func readsAreAnsweredWhileTurnsRun(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.rest
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            switch exchange.route {
            case .sessions, .session: break
            default: continue
            }
            let isRunning = history.turns.contains { turn in
                turn.principal == exchange.sent.principal && !turn.isRefused && turn.event < exchange.request
                    && turn.ended ?? .max > exchange.request && turn.requests.contains { $0.refusal == nil }
            }
            guard isRunning else { continue }
            if let response = exchange.response {
                let taken = history.patience(from: exchange.request, to: response)
                evidence.test(
                    taken <= bound.microseconds, otherwise: "a read was answered late while a turn ran",
                    expected: "within \(bound)", actual: "\(taken / 1_000) ms", at: [exchange.request, response])
            } else if let end = history.deadline(after: exchange, within: bound) {
                evidence.violate(
                    "a read was not answered while a turn ran", expected: "within \(bound)", actual: "nothing",
                    at: [exchange.request, end])
            }
        }
    }

    /// REST-13: "A server SHOULD cut `title` and `lastMessage` between grapheme clusters where it shortens them".
    ///
    /// A value is held against every text of its session that this history knows. One that begins like none of them may be
    /// a summary and is not judged. Exercised once per list entry whose texts are known and longer than 60 code units.
    static func shortTextsEndBetweenCharacters(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            guard let principal = list.principal, let response = history.listBody(at: list.event) else { continue }
            for entry in response["sessions"]?.arrayValue ?? [] {
                guard let id = entry["id"]?.stringValue else { continue }
                let sources = history.texts(of: id, for: principal).filter { $0.utf16.count > 60 }
                guard !sources.isEmpty else { continue }
                let values = ["title", "lastMessage"].compactMap { entry[$0]?.stringValue }
                let cuts = values.compactMap { value in sources.compactMap { Excerpt(value, of: $0) }.first }
                if let cut = cuts.first(where: { !$0.isWhole }) {
                    evidence.violate(
                        "a text is cut inside a character", expected: "whole grapheme clusters",
                        actual: shown(String(cut.value.suffix(20))), at: [list.request, list.event])
                } else if !cuts.isEmpty || values.isEmpty {
                    evidence.keep()
                }
            }
        }
    }

    /// REST-14: "A server MUST answer `GET /api/health` with 200 and `ok: true`, without asking for a token".
    static func healthNeedsNoToken(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isRead(of: .health) {
            guard let response = exchange.response else { continue }
            evidence.test(
                exchange.status == 200 && exchange.answer?.root["ok"] == true,
                otherwise: "the health of the server was not told", expected: "200 with ok: true",
                actual: "\(exchange.status ?? 0) with \(shown(exchange.received?.body))",
                at: [exchange.request, response])
        }
    }
}

/// A text that begins like a longer one, and whether it ends where a character of that one ends.
private struct Excerpt {
    let value: String
    let isWhole: Bool

    /// nil when the value does not begin like the source.
    init?(_ value: String, of source: String) {
        var scalars = value.unicodeScalars[...]
        while let last = scalars.last, last == "…" || last == "." || last == "\u{FFFD}" || last.properties.isWhitespace
        {
            // What a server appends; a dot or blank of the source itself falls between characters as well.
            scalars.removeLast()
        }
        guard !scalars.isEmpty, source.unicodeScalars.starts(with: scalars) else { return nil }
        let end = source.unicodeScalars.index(source.startIndex, offsetBy: scalars.count)
        let rest = value.unicodeScalars[scalars.endIndex...]
        self.value = value
        // A replacement character that the source does not have is the other half of a character.
        let isBroken = rest.contains("\u{FFFD}") && !source.unicodeScalars.contains("\u{FFFD}")
        isWhole = !isBroken && (end == source.endIndex || source.indices.contains(end))
    }
}
