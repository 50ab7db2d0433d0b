/// The kinds of facts, and whom a change of each breaks.
extension FactRule {
    /// Every kind.
    static let all = chapters + requests + operations + [stateRow, table, column]

    private static let chapters = [
        errorCode, errorCodeEffect, closeCode, terminalCode, closeCodeSender, closeCodeEffect, timeout, timeoutSpan,
        gapReason,
        gapReasonEffect, answerRow, answer, profile, profileSide, profileNeed,
    ]
    private static let requests = [
        request, status, parameter, parameterRequired, bodyRequired, requestMedia, answerMedia, header, headerRequired,
        security, requestDetail,
    ]
    private static let operations = [
        operation, operationMessage, reply, operationSecurity, channelMessage, socket, securityScheme,
    ]

    // MARK: Chapters

    static let errorCode = FactRule(
        "error-code", "error code",
        added: .harmless("clients of the old version treat it as 'internal' (chapter 8.2)"),
        removed: .breaks(.servers, "servers of the old version send it, and may not any more"),
        example: "`busy` is taken out of the table of error codes: servers that send it are wrong now")
    static let errorCodeEffect = FactRule(
        "error-code-effect", "effect of an error code",
        changed: .breaks(.everybody, "servers answer, and clients act, by what it said"),
        example: "`busy` is 503 over REST and was 409")
    static let closeCode = FactRule(
        "close-code", "close code",
        added: .harmless("clients of the old version reconnect with backoff, as after any code that they do not know"),
        removed: .breaks(.servers, "servers of the old version close with it, and may not any more"),
        example: "4002 is taken out of the table of close codes")
    static let terminalCode = FactRule(
        "terminal-close-code", "terminal close code",
        added: .breaks(.clients, "clients of the old version come back again and again where they have to stop"),
        removed: .breaks(.clients, "clients of the old version give up where they have to come back"),
        example: "4002 becomes terminal: old clients reconnect for ever")
    static let closeCodeSender = FactRule(
        "close-code-sender", "sender of a close code",
        changed: .breaks(.everybody, "another side closes with it now"),
        example: "1001 is sent by servers alone")
    static let closeCodeEffect = FactRule(
        "close-code-effect", "effect of a close code",
        changed: .breaks(
            .perhaps, "what follows it is said in other words: a person has to see whether it is the same"),
        example: "another text in `the client then`")
    static let timeout = FactRule(
        "timeout", "bound",
        added: .breaks(.held, "whoever is slower than that breaks it now"),
        removed: .breaks(.relying, "nothing bounds it any more, and whoever waits relied on it"),
        changed: .breaks(.everybody, "the two bounds cannot be compared"),
        tightened: .breaks(.held, "whoever kept the old bound and no more is late now"),
        loosened: .breaks(.relying, "whoever waits relied on the shorter bound"),
        example: "`pong` is 3 s and was 5 s: servers that take 4 s are late now")
    static let timeoutSpan = FactRule(
        "timeout-span", "span of a bound",
        changed: .breaks(.everybody, "the bound is measured from or to another event"),
        example: "`turn` ends with the first `toolUse` and not with the ending")
    static let gapReason = FactRule(
        "gap-reason", "reason of a gap",
        added: .breaks(.clients, "reasons are closed: clients of the old version do not know what to do about it"),
        removed: .breaks(.servers, "servers of the old version give it, and may not any more"),
        example: "`syncResult` may say `too_old`")
    static let gapReasonEffect = FactRule(
        "gap-reason-effect", "effect of a reason",
        changed: .breaks(
            .perhaps, "what follows it is said in other words: a person has to see whether it is the same"),
        example: "another text in `what the client does`")
    static let answerRow = FactRule(
        "answer-row", "row of answers",
        added: .breaks(.servers, "servers of the old version were free to answer otherwise"),
        removed: .breaks(.clients, "clients of the old version rely on the answer"),
        example: "a frame before `auth` is answered with `not_authenticated`")
    static let answer = FactRule(
        "answer", "answer",
        added: .breaks(.clients, "clients of the old version do not expect it there"),
        removed: .breaks(.servers, "servers of the old version answer so, and may not any more"),
        example: "an unknown type may be answered with `bad_request` too")
    static let profile = FactRule(
        "profile", "profile",
        added: .harmless("nobody declares it yet"),
        removed: .breaks(.everybody, "who declares it declares nothing now, and the other side relied on it"),
        example: "`rate-limit` is taken out of the table of profiles")
    static let profileSide = FactRule(
        "profile-side", "side of a profile", changed: .breaks(.everybody, "another side declares it now"),
        example: "`push` is declared by clients and was by servers")
    static let profileNeed = FactRule(
        "profile-need", "need of a profile",
        added: .breaks(.held, "who declares the one without the other declares too little now"),
        removed: .breaks(.relying, "whoever saw the one could rely on the other"),
        example: "`sync` needs `idempotency`: servers that declare `sync` alone do not conform any more")

    // MARK: REST

    static let request = FactRule(
        "request", "request",
        added: .harmless("clients may send it, and need not"),
        removed: .breaks(.clients, "clients that send it get no answer to it"),
        example: "`GET /api/sessions` is taken out of openapi.json")
    static let status = FactRule(
        "status", "status",
        added: .breaks(.clients, "clients of the old version do not expect it, and no default covered it"),
        removed: .breaks(.servers, "servers of the old version answer so, and may not any more"),
        example: "`GET /api/sessions/{id}` may answer 410")
    static let parameter = FactRule(
        "request-parameter", "parameter",
        added: .harmless("clients may give it, and need not"),
        removed: .breaks(.clients, "clients that give it are not heard"),
        example: "`page in query` is taken away")
    static let parameterRequired = FactRule(
        "request-parameter-required", "obligation to give the parameter",
        added: .breaks(.clients, "clients that leave it out are refused"),
        removed: .breaks(.servers, "new clients may leave it out, and servers of the old version refuse that"),
        example: "`page in query` must be given")
    static let bodyRequired = FactRule(
        "request-body-required", "obligation to send a body",
        added: .breaks(.clients, "clients that send none are refused"),
        removed: .breaks(.servers, "new clients may send none, and servers of the old version refuse that"),
        example: "`POST /api/chat` takes no request without a body")
    static let requestMedia = FactRule(
        "request-media-type", "form of the body",
        added: .breaks(.servers, "new clients may send it, and servers of the old version refuse that"),
        removed: .breaks(.clients, "clients that send it are refused"),
        example: "`POST /api/chat` takes `application/cbor` too")
    static let answerMedia = FactRule(
        "answer-media-type", "form of the answer",
        added: .breaks(.clients, "clients of the old version cannot read it"),
        removed: .breaks(.servers, "servers of the old version answer in it, and may not any more"),
        example: "errors come as `application/problem+json`")
    static let header = FactRule(
        "answer-header", "header",
        added: .harmless("clients pass over headers that they do not know"),
        removed: .breaks(.clients, "clients of the old version look for it"),
        example: "429 comes without `Retry-After`")
    static let headerRequired = FactRule(
        "answer-header-required", "obligation to send the header",
        added: .breaks(.servers, "servers of the old version may leave it out, and new clients rely on it"),
        removed: .breaks(.clients, "clients of the old version rely on it, and new servers may leave it out"),
        example: "429 may come without `Retry-After`, which is still described")
    static let security = FactRule(
        "request-security", "way to be let in",
        added: .breaks(.servers, "new clients may come so, and servers of the old version refuse them"),
        removed: .breaks(.clients, "clients that come so are refused"),
        example: "`GET /api/health` asks for a token")
    static let requestDetail = FactRule(
        "request-detail", "detail",
        added: .breaks(.everybody, "no rule knows whom it breaks"),
        removed: .breaks(.everybody, "no rule knows whom it breaks"),
        changed: .breaks(.everybody, "no rule knows whom it breaks"),
        example: "another `style` of a parameter")

    // MARK: The socket

    static let operation = FactRule(
        "operation", "operation",
        added: .harmless("types that a peer does not know are passed over (chapter 8.1)"),
        removed: .breaks(.clients, "clients of the old version ask for it, or wait for it"),
        changed: .breaks(.everybody, "the other side starts it now"),
        example: "`catchUp` is taken out of asyncapi.json")
    static let operationMessage = FactRule(
        "operation-message", "message of an operation",
        added: .breaks(.others, "peers of the old version do not expect it there"),
        removed: .breaks(.held, "peers of the old version send it there, and may not any more"),
        example: "`showTurn` shows `ack` too")
    static let reply = FactRule(
        "reply", "reply",
        added: .breaks(.clients, "clients of the old version do not expect it as an answer"),
        removed: .breaks(.everybody, "servers of the old version answer so, and clients wait for it"),
        example: "`checkLiveness` may be answered with `error`")
    static let operationSecurity = FactRule(
        "socket-security", "way to be let in",
        added: .breaks(.servers, "new clients may come so, and servers of the old version refuse them"),
        removed: .breaks(.clients, "clients that come so are refused"),
        example: "the socket asks for an API key")
    static let channelMessage = FactRule(
        "channel-message", "message of the channel", added: .harmless("unknown types are passed over (chapter 8.1)"),
        removed: .breaks(.everybody, "peers of the old version send it, or wait for it"),
        changed: .breaks(.everybody, "another schema, or another form, holds for it"),
        example: "the payload of `chat` is another schema")
    static let socket = FactRule(
        "socket", "property of the socket", added: .breaks(.everybody, "peers of the old version do not know it"),
        removed: .breaks(.everybody, "peers of the old version rely on it"),
        changed: .breaks(.everybody, "peers of the old version do otherwise"),
        example: "the protocol of the server is `mqtt` and was `wss`")
    static let securityScheme = FactRule(
        "security-scheme", "scheme of security", added: .harmless("nothing asks for it by itself"),
        removed: .harmless("what asked for it is told by itself"),
        changed: .breaks(.clients, "credentials travel in another way"), example: "`bearer` travels as an API key")

    // MARK: Tables as a whole

    static let table = FactRule(
        "table", "table",
        added: .harmless("it says as facts what other parts of the specification ask for already"),
        removed: .breaks(.everybody, "programs were written from it"),
        example: "the table of close codes is taken out of chapter 4")

    static let column = FactRule(
        "table-column", "column",
        added: .breaks(.perhaps, "a person has to see whether it asks for more than the rest of the specification"),
        removed: .breaks(.everybody, "programs were written from it"),
        example: "`over REST` is taken out of the table of error codes")

    // MARK: State tables

    static let stateRow = FactRule(
        "state-row", "row of a state table",
        added: .breaks(.others, "the other side does not expect it there"),
        removed: .breaks(.held, "who did so does otherwise than the table now"),
        changed: .breaks(.everybody, "the same input has other outcomes"),
        reworded: .breaks(
            .perhaps, "a condition is said in other words: a person has to see whether it is the same"),
        example: "`ping` before `auth` is answered with `pong`")
}
