import JSON

/// Takes credentials out of everything that is recorded; a transcript shows whose token it was, never its characters.
public struct Redaction: Sendable {
    private let replacements: [(secret: String, shown: String)]

    /// Hides each token, given the principal it belongs to; an empty token is ignored.
    public init(tokens: [String: String]) {
        var replacements: [(secret: String, shown: String)] = []
        for (token, principal) in tokens where !token.isEmpty {
            let shown = "‹token of \(principal)›"
            let quoted = String(JSONValue.string(token).text().dropFirst().dropLast())
            replacements.append((token, shown))
            // Inside JSON the same characters may stand escaped.
            if quoted != token { replacements.append((quoted, shown)) }
        }
        // Longer ones first, so that a token which begins another leaves nothing of it behind.
        self.replacements = replacements.sorted {
            ($0.secret.utf8.count, $1.secret) > ($1.secret.utf8.count, $0.secret)
        }
    }

    /// The text without any token.
    public func text(_ text: String) -> String {
        var text = text
        for (secret, shown) in replacements { text = replacing(secret, by: shown, in: text) }
        return text
    }

    /// The event without any token.
    public func event(_ event: Event) -> Event {
        guard !replacements.isEmpty else { return event }
        var event = event
        switch event.kind {
        case .opening(var opening):
            opening.path = text(opening.path)
            event.kind = .opening(opening)
        case .refused(let status, let reason): event.kind = .refused(status: status, reason: text(reason))
        case .text(let direction, let content): event.kind = .text(direction, text(content))
        case .close(let direction, let code, let reason):
            event.kind = .close(direction, code: code, reason: text(reason))
        case .eof(let reason): event.kind = .eof(reason: text(reason))
        case .request(var request):
            request.path = text(request.path)
            request.body = request.body.map { text($0) }
            event.kind = .request(request)
        case .response(var response):
            response.body = text(response.body)
            response.headers = response.headers.map { Event.Header(name: $0.name, value: text($0.value)) }
            event.kind = .response(response)
        case .failed(let reason): event.kind = .failed(reason: text(reason))
        case .opened, .binary, .ping, .pong, .act, .state, .wait: break
        }
        return event
    }
}

/// Replaces each occurrence, byte by byte, so that no canonical equivalence hides one.
private func replacing(_ needle: String, by replacement: String, in text: String) -> String {
    let needle = Array(needle.utf8)
    let bytes = Array(text.utf8)
    guard let first = needle.first, bytes.count >= needle.count else { return text }
    var result: [UInt8] = []
    var index = 0
    var found = false
    while index < bytes.count {
        if bytes[index] == first, bytes[index...].starts(with: needle) {
            result += replacement.utf8
            index += needle.count
            found = true
        } else {
            result.append(bytes[index])
            index += 1
        }
    }
    return found ? String(decoding: result, as: UTF8.self) : text
}
