/// The kinds of facts, and the peers that a change of each breaks.
///
/// The raw value begins the ids of findings, such as `status-added`.
enum FactRule: String, CaseIterable, Sendable {
    case errorCode = "error-code", errorCodeMeaning = "error-code-meaning", errorCodeEffect = "error-code-effect"
    case closeCode = "close-code", closeCodeMeaning = "close-code-meaning", terminalCode = "terminal-close-code"
    case closeCodeSender = "close-code-sender", closeCodeEffect = "close-code-effect", timeout
    case timeoutSpan = "timeout-span", gapReason = "gap-reason", gapReasonMeaning = "gap-reason-meaning"
    case gapReasonEffect = "gap-reason-effect", answerRow = "answer-row", answer, answerTerms = "answer-terms"
    case profile, profileSide = "profile-side", profileNeed = "profile-need", openSet = "open-set"
    case openValue = "open-value", schemaClause = "schema-clause", foreignClause = "unjudged-clause", foreignDuty =
        "unjudged-duty"
    case serverPath = "server-path", request, status, parameter = "request-parameter"
    case parameterRequired = "request-parameter-required", bodyRequired = "request-body-required"
    case requestMedia = "request-media-type", answerMedia = "answer-media-type", header = "answer-header"
    case headerRequired = "answer-header-required", security = "request-security"
    case requestDetail = "request-detail", operation, operationMessage = "operation-message", reply
    case operationSecurity = "socket-security", channelMessage = "channel-message", socket
    case securityScheme = "security-scheme", dialect, dialectMapping = "dialect-mapping"
    case dialectExemption = "dialect-exemption", table, column = "table-column", tableRow = "table-row"
    case rowNumber = "table-number", definition, sectionNumber = "section-number", stateRow = "state-row"
    case stateClause = "state-clause", stateWord = "state-word"

    enum Change: String, CaseIterable, Sendable {
        case added, removed, changed, tightened, loosened, reworded
    }

    enum Whom: String, Sendable {
        case nobody, clients, servers, everybody, obliged
        /// The side that is not bound, and must handle it.
        case others
        /// The other side, if it could rely on it: servers cannot rely on what clients promise.
        case relying
        /// A person must decide.
        case perhaps
    }

    struct Effect: Sendable {
        let whom: Whom
        let why: String
    }

    /// Facts about how the tools read programs.
    static let dialects: Set<FactRule> = [.dialect, .dialectMapping, .dialectExemption]
    /// Explanations: a change that breaks no peer needs only a new patch version.
    static let explaining: Set<FactRule> = [.tableRow, .definition, .sectionNumber, .stateClause]

    var id: String { rawValue }
    var word: String { Self.details[self]?.word ?? id }
    /// The effect of each change; a change that is missing here cannot happen.
    var effects: [Change: Effect] { Self.details[self]?.effects ?? [:] }

    func example(of change: Change) -> String {
        if let details = Self.details[self], details.shows == nil || details.shows == change { return details.example }
        return switch change {
        case .added: "a new \(word)"
        case .removed: "the \(word) is removed"
        case .changed: "the \(word) says something else"
        case .tightened: "the \(word) is shorter"
        case .loosened: "the \(word) is longer"
        case .reworded: "the \(word) in other words"
        }
    }

    private struct Details {
        let word: String
        let shows: Change?
        let example: String
        var effects: [Change: Effect] = [:]
    }

    private static let details: [FactRule: Details] = {
        var details: [FactRule: Details] = [:]
        var rule = FactRule.table
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: " | ").map(String.init)
            if let kind = FactRule(rawValue: cells[0]), cells.count == 4 {
                rule = kind
                details[rule] = Details(word: cells[1], shows: Change(rawValue: cells[2]), example: cells[3])
            } else if let change = Change(rawValue: String(cells[0].dropFirst(2))), cells.count == 3 {
                details[rule]?.effects[change] = Whom(rawValue: cells[1]).map { Effect(whom: $0, why: cells[2]) }
            }
        }
        return details
    }()

    /// One kind per line: its id, its word, the change in its example, and the example; below it each change with the
    /// peers it breaks, and the reason.
    private static let text = """
        error-code | error code | removed | `busy` is removed from the table of error codes: servers that send it are wrong now
          added | nobody | old clients treat a code they do not know as 'internal' (chapter 8.2)
          removed | servers | old servers still send it, which is no longer allowed
        error-code-meaning | meaning of an error code | – | `busy` means that any session has a turn, and meant that this one has
          reworded | everybody | a program cannot tell whether it is sent in more or fewer cases now: someone must check
        error-code-effect | effect of an error code | – | `busy` is 503 over REST and was 409
          changed | everybody | servers and clients act on what the table said before
        close-code | close code | removed | 4002 is removed from the table of close codes
          added | nobody | old clients reconnect with backoff, as after any code they do not know
          removed | servers | old servers still close with it, which is no longer allowed
        close-code-meaning | meaning of a close code | – | 4002 means that no `auth` was accepted in time, and meant that none came
          reworded | everybody | a program cannot tell whether it is sent in more or fewer cases now: someone must check
        terminal-close-code | terminal close code | added | 4002 becomes terminal: old clients reconnect forever
          added | clients | old clients keep reconnecting where they now have to stop
          removed | clients | old clients give up where they now have to reconnect
          changed | clients | a program cannot tell whether clients have to act differently: someone must check
        close-code-sender | sender of a close code | – | 1001 is sent by servers alone
          changed | everybody | the other side closes with it now
        close-code-effect | effect of a close code | – | another text in `the client then`
          changed | clients | a program cannot tell whether clients have to act differently: someone must check
        timeout | bound | tightened | `pong` is 3 s and was 5 s: servers that take 4 s are late now
          added | obliged | anyone slower than this breaks it now
          removed | others | the wait no longer has a limit, and the side that waits relied on it
          changed | everybody | the old and the new value cannot be compared
          tightened | obliged | anyone who only just kept the old bound is now late
          loosened | others | the side that waits relied on the shorter bound
          reworded | everybody | the terms beside it changed: someone must check whom it binds now
        timeout-span | span of a bound | – | `turn` ends with the first `toolUse` and not with the ending
          changed | everybody | the bound starts or ends at another event
        gap-reason | reason of a gap | added | `syncResult` may say `too_old`
          added | clients | the set of reasons is closed: old clients do not know what to do about a new one
          removed | servers | old servers still give it, which is no longer allowed
        gap-reason-meaning | meaning of a reason | – | `evicted` means that frames expired, and meant that they are gone
          reworded | everybody | a program cannot tell whether it is sent in more or fewer cases now: someone must check
        gap-reason-effect | effect of a reason | – | another text in `what the client does`
          changed | clients | a program cannot tell whether clients have to act differently: someone must check
        answer-row | row of answers | added | a frame before `auth` is answered with `not_authenticated`
          added | servers | old servers were free to answer differently
          removed | clients | old clients rely on the answer
          reworded | everybody | a program cannot tell whether the new words mean more or fewer inputs: someone must check
        answer | answer | added | an unknown type may be answered with `bad_request` too
          added | clients | old clients do not expect this answer there
          removed | servers | old servers still answer this way, which is no longer allowed
        answer-terms | terms of an answer | – | a frame before `auth` is run later, and was not run
          reworded | everybody | a program cannot tell whether servers may do more or less now: someone must check
        profile | profile | removed | `rate-limit` is removed from the table of profiles
          added | nobody | no peer declares it yet
          removed | everybody | declaring it no longer means anything, and the other side relied on it
        profile-side | side of a profile | – | `push` is declared by clients and was by servers
          changed | everybody | the other side declares it now
        profile-need | need of a profile | added | `sync` needs `auth`: servers that declare `sync` alone no longer conform
          added | obliged | declaring one without the other is no longer enough
          removed | relying | a peer that saw one could rely on the other
        open-set | open set of values | added | `errorCode` gets an `x-extensible-enum`
          added | obliged | peers that send other values are no longer allowed to
          removed | nobody | readers accept any value already
        open-value | value of an open set | removed | `busy` is removed from the `x-extensible-enum` of `errorCode`
          added | nobody | old readers accept any value
          removed | obliged | peers still send it, which is no longer allowed
        schema-clause | clause that judges | – | `x-clause` beside a keyword names a SHOULD, and named a MUST
          changed | everybody | other peers are bound, in another way
        unjudged-clause | clause that this program does not judge | added | `### SYNC-20 · server · archive`, and `archive` is in the table of profiles
          added | nobody | nobody has to keep it yet
          removed | perhaps | someone must check who kept it already
          reworded | perhaps | someone must check who kept it already
        unjudged-duty | clause of an area that this program does not know | added | `### LOG-1 · server · core` in clauses/LOG.md
          added | obliged | a new obligation in an existing profile
          removed | relying | the other side relied on it
          reworded | everybody | a program cannot tell whether the new wording requires more or less
        server-path | path below which requests are sent | changed | `servers.url` ends with `/v2`
          added | everybody | clients send the request below another path than the rest
          removed | everybody | clients still send the request below the path it had
          changed | everybody | clients send every request below another path than old servers answer at
        request | request | removed | `GET /api/sessions` is removed from openapi.json
          added | nobody | clients may send it but do not have to
          removed | clients | old clients still send it and find nothing there
        status | status | added | `GET /api/sessions/{id}` may answer 410
          added | clients | old clients do not expect this status, and no default covered it
          removed | servers | old servers still answer this way, which is no longer allowed
        request-parameter | parameter | removed | `page in query` is removed
          added | nobody | clients may give it but do not have to
          removed | clients | old clients still give it, and servers ignore it
        request-parameter-required | obligation to give the parameter | added | `page in query` must be given
          added | clients | old clients that leave it out are rejected
          removed | servers | new clients may leave it out, and old servers reject that
        request-body-required | obligation to send a body | added | `POST /api/chat` takes no request without a body
          added | clients | old clients that send no body are rejected
          removed | servers | new clients may send no body, and old servers reject that
        request-media-type | form of the body | added | `POST /api/chat` takes `application/cbor` too
          added | servers | new clients may send it, and old servers reject that
          removed | clients | old clients that send it are rejected
        answer-media-type | form of the answer | added | errors come as `application/problem+json`
          added | clients | old clients cannot read it
          removed | servers | old servers still answer in it, which is no longer allowed
        answer-header | header | removed | 429 comes without `Retry-After`
          added | nobody | clients ignore headers they do not know
          removed | clients | old clients look for it
        answer-header-required | obligation to send the header | removed | 429 may come without `Retry-After`, which is still described
          added | servers | old servers may leave it out, and new clients rely on it
          removed | clients | old clients rely on it, and new servers may leave it out
        request-security | way to authenticate | removed | `GET /api/health` asks for a token
          added | servers | new clients may authenticate this way, and old servers reject that
          removed | clients | old clients that authenticate this way are rejected
        request-detail | detail | changed | another `style` of a parameter
          added | everybody | the gate has no rule for it, so it assumes that both sides break
          removed | everybody | the gate has no rule for it, so it assumes that both sides break
          changed | everybody | the gate has no rule for it, so it assumes that both sides break
        operation | operation | removed | `catchUp` is removed from asyncapi.json
          added | nobody | peers ignore types they do not know (chapter 8.1)
          removed | clients | old clients use it or wait for it
          changed | everybody | the other side starts it now
        operation-message | message of an operation | added | `showTurn` shows `ack` too
          added | others | old peers do not expect it there
          removed | obliged | old peers still send it there, which is no longer allowed
        reply | reply | added | `checkLiveness` may be answered with `error`
          added | clients | old clients do not expect it as a reply
          removed | everybody | old servers still send it, and old clients wait for it
        socket-security | way to authenticate | added | the socket asks for an API key
          added | servers | new clients may authenticate this way, and old servers reject that
          removed | clients | old clients that authenticate this way are rejected
        channel-message | message of the channel | changed | the payload of `chat` is a different schema
          added | nobody | peers ignore types they do not know (chapter 8.1)
          removed | everybody | old peers send it or wait for it
          changed | everybody | it has a different schema or media type now
        socket | property of the socket | changed | the protocol of the server is `mqtt` and was `wss`
          added | everybody | old peers do not know it
          removed | everybody | old peers rely on it
          changed | everybody | old peers do it differently
        security-scheme | scheme of security | changed | `bearer` travels as an API key
          added | nobody | nothing uses it by itself
          removed | nobody | its uses are reported separately
          changed | clients | credentials are sent in another way
        dialect | dialect | removed | dialects/nami.json is deleted
          added | nobody | it says how the tools read a program, and asks nothing of peers
          removed | perhaps | subjects that name it can no longer be tested
        dialect-mapping | mapping of a dialect | removed | `delivered` from servers is no longer mapped to `ack`
          added | perhaps | someone must check what it was read as before
          removed | perhaps | what subjects of this dialect send is no longer understood
          changed | perhaps | what subjects of this dialect send is read as something else now
        dialect-exemption | clause that a dialect cannot keep | removed | `ENV-9` is removed from `cannotKeep`
          added | nobody | servers of this dialect are excused now
          removed | perhaps | servers of this dialect are no longer excused
          changed | perhaps | servers of this dialect are excused for a different set of missing members
        table | table | removed | the table of close codes is removed from chapter 4
          added | nobody | it lists what other parts of the specification require already
          removed | everybody | programs are written from it
        table-column | column | removed | `over REST` is removed from the table of error codes
          added | perhaps | someone must check that it requires nothing new
          removed | everybody | programs are written from it
        table-row | row of a table | changed | `POST /api/chat` in chapter 6 gets another status
          added | nobody | it explains what other parts of the specification require
          removed | perhaps | someone must check whether programs depend on it
          changed | perhaps | code or numbers in it changed: someone must check whether programs depend on it
        table-number | number in a table | – | `replayMessages` is 500 if absent, and was 1000 (chapters 4 to 7)
          changed | everybody | programs are written with the numbers of these chapters
        definition | definition | changed | **Budget.** A window is 30 s, and was 60 s
          added | nobody | clauses that use the term are compared by themselves
          removed | perhaps | someone must check what the term means in clauses now
          changed | everybody | clauses that use the term ask for more or less with another number
          reworded | perhaps | clauses use the term; someone must check whether a verdict changes
        section-number | number in a section | changed | chapter 6.3 says 1 s apart, and said 5 s
          added | perhaps | someone must check whether programs depend on it
          removed | perhaps | someone must check whether programs depend on it
          changed | perhaps | someone must check whether programs depend on it
        state-row | row of a state table | changed | `ping` before `auth` is answered with `pong`
          added | others | the other side does not expect it there
          removed | obliged | peers that did this no longer follow the table
          changed | everybody | the same input has another outcome
        state-clause | list of clauses of a row | – | `ping` before `auth` is judged under AUTH-5, and was under LIVE-1
          changed | perhaps | peers that leave the row break other clauses now: someone must check how those bind
        state-word | meaning of a state, an input or a condition | – | the input `chat.new` means a `chat` with a key, and meant any `chat`
          reworded | everybody | a program cannot tell whether its rows cover more or less now: someone must check
        """
}
