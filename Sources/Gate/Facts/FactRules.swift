/// The kinds of facts, and whom a change of each breaks.
extension FactRule {
    static let all =
        chapters + requests + operations + dialects + [stateRow, stateWord, table, column, tableRow]

    private static let chapters = [
        errorCode, errorCodeMeaning, errorCodeEffect, closeCode, closeCodeMeaning, terminalCode, closeCodeSender,
        closeCodeEffect, timeout, timeoutSpan, gapReason, gapReasonMeaning, gapReasonEffect, answerRow, answer,
        answerTerms, profile, profileSide, profileNeed, openSet, openValue, schemaClause, foreignClause,
    ]
    private static let requests = [
        serverPath, request, status, parameter, parameterRequired, bodyRequired, requestMedia, answerMedia, header,
        headerRequired,
        security, requestDetail,
    ]
    private static let operations = [
        operation, operationMessage, reply, operationSecurity, channelMessage, socket, securityScheme,
    ]
    static let dialects = [dialect, dialectMapping, dialectExemption]

    /// What a code or a reason stands for, in words: peers act on it, so other words are for a person to judge.
    private static func meaning(_ id: String, _ word: String, example: String) -> FactRule {
        FactRule(
            "\(id)-meaning", "meaning of \(word)",
            reworded: .breaks(
                .everybody, "a program cannot tell whether it is sent in more or fewer cases now: someone has to check"),
            example: example)
    }

    // MARK: Chapters

    static let errorCode = FactRule(
        "error-code", "error code",
        added: .harmless("old clients treat a code they do not know as 'internal' (chapter 8.2)"),
        removed: .breaks(.servers, "old servers still send it, which is no longer allowed"),
        shows: .removed, example: "`busy` is removed from the table of error codes: servers that send it are wrong now")
    static let errorCodeMeaning = meaning(
        "error-code", "an error code", example: "`busy` means that any session has a turn, and meant that this one has")
    static let errorCodeEffect = FactRule(
        "error-code-effect", "effect of an error code",
        changed: .breaks(.everybody, "servers and clients act on what the table said before"),
        example: "`busy` is 503 over REST and was 409")
    static let closeCode = FactRule(
        "close-code", "close code",
        added: .harmless("old clients reconnect with backoff, as after any code they do not know"),
        removed: .breaks(.servers, "old servers still close with it, which is no longer allowed"),
        shows: .removed, example: "4002 is removed from the table of close codes")
    static let closeCodeMeaning = meaning(
        "close-code", "a close code",
        example: "4002 means that no `auth` was accepted in time, and meant that none came")
    static let terminalCode = FactRule(
        "terminal-close-code", "terminal close code",
        added: .breaks(.clients, "old clients keep reconnecting where they now have to stop"),
        removed: .breaks(.clients, "old clients give up where they now have to reconnect"),
        shows: .added, example: "4002 becomes terminal: old clients reconnect forever")
    static let closeCodeSender = FactRule(
        "close-code-sender", "sender of a close code",
        changed: .breaks(.everybody, "the other side closes with it now"),
        example: "1001 is sent by servers alone")
    static let closeCodeEffect = FactRule(
        "close-code-effect", "effect of a close code",
        changed: .breaks(
            .clients, "a program cannot tell whether clients have to act differently: someone has to check"),
        example: "another text in `the client then`")
    static let timeout = FactRule(
        "timeout", "bound",
        added: .breaks(.held, "anyone slower than this breaks it now"),
        removed: .breaks(.others, "the wait no longer has a limit, and the side that waits relied on it"),
        changed: .breaks(.everybody, "the old and the new value cannot be compared"),
        tightened: .breaks(.held, "anyone who only just kept the old bound is late now"),
        loosened: .breaks(.others, "the side that waits relied on the shorter bound"),
        reworded: .breaks(.everybody, "the terms beside it changed: someone has to check whom it binds now"),
        shows: .tightened, example: "`pong` is 3 s and was 5 s: servers that take 4 s are late now")
    static let timeoutSpan = FactRule(
        "timeout-span", "span of a bound",
        changed: .breaks(.everybody, "the bound starts or ends at another event"),
        example: "`turn` ends with the first `toolUse` and not with the ending")
    static let gapReason = FactRule(
        "gap-reason", "reason of a gap",
        added: .breaks(.clients, "the set of reasons is closed: old clients do not know what to do about a new one"),
        removed: .breaks(.servers, "old servers still give it, which is no longer allowed"),
        shows: .added, example: "`syncResult` may say `too_old`")
    static let gapReasonMeaning = meaning(
        "gap-reason", "a reason", example: "`evicted` means that frames expired, and meant that they are gone")
    static let gapReasonEffect = FactRule(
        "gap-reason-effect", "effect of a reason",
        changed: .breaks(
            .clients, "a program cannot tell whether clients have to act differently: someone has to check"),
        example: "another text in `what the client does`")
    static let answerRow = FactRule(
        "answer-row", "row of answers",
        added: .breaks(.servers, "old servers were free to answer differently"),
        removed: .breaks(.clients, "old clients rely on the answer"),
        reworded: .breaks(
            .everybody, "a program cannot tell whether the new words mean more or fewer inputs: someone has to check"),
        shows: .added, example: "a frame before `auth` is answered with `not_authenticated`")
    static let answer = FactRule(
        "answer", "answer",
        added: .breaks(.clients, "old clients do not expect this answer there"),
        removed: .breaks(.servers, "old servers still answer this way, which is no longer allowed"),
        shows: .added, example: "an unknown type may be answered with `bad_request` too")
    static let answerTerms = FactRule(
        "answer-terms", "terms of an answer",
        reworded: .breaks(
            .everybody, "a program cannot tell whether servers may do more or less now: someone has to check"),
        example: "a frame before `auth` is run later, and was not run")
    static let profile = FactRule(
        "profile", "profile",
        added: .harmless("nobody declares it yet"),
        removed: .breaks(.everybody, "declaring it no longer means anything, and the other side relied on it"),
        shows: .removed, example: "`rate-limit` is removed from the table of profiles")
    static let profileSide = FactRule(
        "profile-side", "side of a profile", changed: .breaks(.everybody, "the other side declares it now"),
        example: "`push` is declared by clients and was by servers")
    static let profileNeed = FactRule(
        "profile-need", "need of a profile",
        added: .breaks(.held, "declaring one without the other is no longer enough"),
        removed: .breaks(.relying, "a peer that saw one could rely on the other"),
        shows: .added, example: "`sync` needs `auth`: servers that declare `sync` alone no longer conform")

    // MARK: Schemas

    static let openSet = FactRule(
        "open-set", "open set of values",
        added: .breaks(.held, "peers that send other values are no longer allowed to"),
        removed: .harmless("readers accept any value already"),
        shows: .added, example: "`errorCode` gets an `x-extensible-enum`")
    static let openValue = FactRule(
        "open-value", "value of an open set",
        added: .harmless("old readers accept any value"),
        removed: .breaks(.held, "peers still send it, which is no longer allowed"),
        shows: .removed, example: "`busy` is removed from the `x-extensible-enum` of `errorCode`")

    static let schemaClause = FactRule(
        "schema-clause", "clause that judges", changed: .breaks(.everybody, "other peers are bound, in another way"),
        example: "`x-clause` beside a keyword names a SHOULD, and named a MUST")

    static let foreignClause = FactRule(
        "clause-of-new-profile", "clause of a profile that this program does not know",
        added: .harmless("nobody declares the profile yet"),
        removed: .breaks(.perhaps, "someone has to check who declares the profile already"),
        reworded: .breaks(.perhaps, "someone has to check who declares the profile already"),
        shows: .added, example: "`### SYNC-20 · server · archive`, and `archive` is in the table of profiles")

    // MARK: REST

    static let serverPath = FactRule(
        "server-path", "path below which requests are sent",
        added: .breaks(.everybody, "clients send the request below another path than the rest"),
        removed: .breaks(.everybody, "clients still send the request below the path it had"),
        changed: .breaks(.everybody, "clients send every request below another path than old servers answer at"),
        shows: .changed, example: "`servers.url` ends with `/v2`")
    static let request = FactRule(
        "request", "request",
        added: .harmless("clients may send it but do not have to"),
        removed: .breaks(.clients, "old clients still send it and find nothing there"),
        shows: .removed, example: "`GET /api/sessions` is removed from openapi.json")
    static let status = FactRule(
        "status", "status",
        added: .breaks(.clients, "old clients do not expect this status, and no default covered it"),
        removed: .breaks(.servers, "old servers still answer this way, which is no longer allowed"),
        shows: .added, example: "`GET /api/sessions/{id}` may answer 410")
    static let parameter = FactRule(
        "request-parameter", "parameter",
        added: .harmless("clients may give it but do not have to"),
        removed: .breaks(.clients, "old clients still give it, and servers ignore it"),
        shows: .removed, example: "`page in query` is removed")
    static let parameterRequired = FactRule(
        "request-parameter-required", "obligation to give the parameter",
        added: .breaks(.clients, "old clients that leave it out are rejected"),
        removed: .breaks(.servers, "new clients may leave it out, and old servers reject that"),
        shows: .added, example: "`page in query` must be given")
    static let bodyRequired = FactRule(
        "request-body-required", "obligation to send a body",
        added: .breaks(.clients, "old clients that send no body are rejected"),
        removed: .breaks(.servers, "new clients may send no body, and old servers reject that"),
        shows: .added, example: "`POST /api/chat` takes no request without a body")
    static let requestMedia = FactRule(
        "request-media-type", "form of the body",
        added: .breaks(.servers, "new clients may send it, and old servers reject that"),
        removed: .breaks(.clients, "old clients that send it are rejected"),
        shows: .added, example: "`POST /api/chat` takes `application/cbor` too")
    static let answerMedia = FactRule(
        "answer-media-type", "form of the answer",
        added: .breaks(.clients, "old clients cannot read it"),
        removed: .breaks(.servers, "old servers still answer in it, which is no longer allowed"),
        shows: .added, example: "errors come as `application/problem+json`")
    static let header = FactRule(
        "answer-header", "header",
        added: .harmless("clients ignore headers they do not know"),
        removed: .breaks(.clients, "old clients look for it"),
        shows: .removed, example: "429 comes without `Retry-After`")
    static let headerRequired = FactRule(
        "answer-header-required", "obligation to send the header",
        added: .breaks(.servers, "old servers may leave it out, and new clients rely on it"),
        removed: .breaks(.clients, "old clients rely on it, and new servers may leave it out"),
        shows: .removed, example: "429 may come without `Retry-After`, which is still described")
    static let security = FactRule(
        "request-security", "way to authenticate",
        added: .breaks(.servers, "new clients may authenticate this way, and old servers reject that"),
        removed: .breaks(.clients, "old clients that authenticate this way are rejected"),
        shows: .removed, example: "`GET /api/health` asks for a token")
    static let requestDetail = FactRule(
        "request-detail", "detail",
        added: .breaks(.everybody, "the gate has no rule for it, so it assumes that both sides break"),
        removed: .breaks(.everybody, "the gate has no rule for it, so it assumes that both sides break"),
        changed: .breaks(.everybody, "the gate has no rule for it, so it assumes that both sides break"),
        shows: .changed, example: "another `style` of a parameter")

    // MARK: The socket

    static let operation = FactRule(
        "operation", "operation",
        added: .harmless("peers ignore types they do not know (chapter 8.1)"),
        removed: .breaks(.clients, "old clients use it or wait for it"),
        changed: .breaks(.everybody, "the other side starts it now"),
        shows: .removed, example: "`catchUp` is removed from asyncapi.json")
    static let operationMessage = FactRule(
        "operation-message", "message of an operation",
        added: .breaks(.others, "old peers do not expect it there"),
        removed: .breaks(.held, "old peers still send it there, which is no longer allowed"),
        shows: .added, example: "`showTurn` shows `ack` too")
    static let reply = FactRule(
        "reply", "reply",
        added: .breaks(.clients, "old clients do not expect it as a reply"),
        removed: .breaks(.everybody, "old servers still send it, and old clients wait for it"),
        shows: .added, example: "`checkLiveness` may be answered with `error`")
    static let operationSecurity = FactRule(
        "socket-security", "way to authenticate",
        added: .breaks(.servers, "new clients may authenticate this way, and old servers reject that"),
        removed: .breaks(.clients, "old clients that authenticate this way are rejected"),
        shows: .added, example: "the socket asks for an API key")
    static let channelMessage = FactRule(
        "channel-message", "message of the channel",
        added: .harmless("peers ignore types they do not know (chapter 8.1)"),
        removed: .breaks(.everybody, "old peers send it or wait for it"),
        changed: .breaks(.everybody, "it has another schema or media type now"),
        shows: .changed, example: "the payload of `chat` is another schema")
    static let socket = FactRule(
        "socket", "property of the socket", added: .breaks(.everybody, "old peers do not know it"),
        removed: .breaks(.everybody, "old peers rely on it"),
        changed: .breaks(.everybody, "old peers do it differently"),
        shows: .changed, example: "the protocol of the server is `mqtt` and was `wss`")
    static let securityScheme = FactRule(
        "security-scheme", "scheme of security", added: .harmless("nothing uses it by itself"),
        removed: .harmless("its uses are reported separately"),
        changed: .breaks(.clients, "credentials are sent in another way"), shows: .changed,
        example: "`bearer` travels as an API key")

    // MARK: Dialects

    static let dialect = FactRule(
        "dialect", "dialect",
        added: .harmless("it says how the tools read a program, and asks nothing of peers"),
        removed: .breaks(.perhaps, "subjects that name it can no longer be tested"),
        shows: .removed, example: "dialects/nami.json is deleted")
    static let dialectMapping = FactRule(
        "dialect-mapping", "mapping of a dialect",
        added: .breaks(.perhaps, "someone has to check what it was read as before"),
        removed: .breaks(.perhaps, "what subjects of this dialect send is no longer understood"),
        changed: .breaks(.perhaps, "what subjects of this dialect send is read as something else now"),
        shows: .removed, example: "`delivered` from servers is no longer mapped to `ack`")
    static let dialectExemption = FactRule(
        "dialect-exemption", "clause that a dialect cannot keep",
        added: .breaks(.perhaps, "servers of this dialect are excused now"),
        removed: .breaks(.perhaps, "servers of this dialect are no longer excused"),
        shows: .removed, example: "`ENV-9` is removed from `cannotKeep`")

    // MARK: Tables as a whole

    static let table = FactRule(
        "table", "table",
        added: .harmless("it lists what other parts of the specification require already"),
        removed: .breaks(.everybody, "programs are written from it"),
        shows: .removed, example: "the table of close codes is removed from chapter 4")

    static let column = FactRule(
        "table-column", "column",
        added: .breaks(.perhaps, "someone has to check that it requires nothing new"),
        removed: .breaks(.everybody, "programs are written from it"),
        shows: .removed, example: "`over REST` is removed from the table of error codes")

    static let tableRow = FactRule(
        "table-row", "row of a table",
        added: .harmless("it explains what other parts of the specification require"),
        removed: .breaks(.perhaps, "someone has to check whether programs depend on it"),
        changed: .breaks(
            .perhaps, "code or numbers in it changed: someone has to check whether programs depend on it"),
        shows: .changed, example: "`POST /api/chat` in chapter 6 gets another status")

    // MARK: State tables

    static let stateRow = FactRule(
        "state-row", "row of a state table",
        added: .breaks(.others, "the other side does not expect it there"),
        removed: .breaks(.held, "whoever did this no longer follows the table"),
        changed: .breaks(.everybody, "the same input has another outcome"),
        reworded: .breaks(
            .everybody, "a program cannot tell whether the new condition holds more or less often: someone has to check"
        ),
        shows: .changed, example: "`ping` before `auth` is answered with `pong`")
    static let stateWord = FactRule(
        "state-word", "meaning of a state or an input",
        reworded: .breaks(
            .everybody, "a program cannot tell whether its rows cover more or less now: someone has to check"),
        example: "the input `chat.new` means a `chat` with a key, and meant any `chat`")
}
