import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTranscript
import HoldfastTransport

/// Examines everything that a run depends on: short probes, each with a finding and a fix.
package struct Examination {
    let subject: ServerSubject
    let scope: Scope
    let specification: Specification
    let selection: Selection

    private let probes: ExaminationProbes
    private var greetings: Greetings { Greetings(subject: subject) }
    private var diagnosis = Diagnosis()

    /// Creates an examination; `silence` is the seconds for which one connection sends nothing, nil for no such probe.
    package init(
        _ subject: ServerSubject, scope: Scope, under specification: Specification, _ selection: Selection,
        silence: Int? = nil
    ) {
        (self.subject, self.scope, self.specification, self.selection) = (subject, scope, specification, selection)
        probes = ExaminationProbes(
            subject: subject, reply: "examined \(UUID().uuidString.prefix(8))", silence: silence)
    }

    /// The seconds of silence to test: `asked`, or twice the heartbeat up to 600; nil for none.
    ///
    /// The default is none for a server that the suite starts, because no load balancer is in between.
    package static func silence(of subject: ServerSubject, asked: Int?) -> Int? {
        let fallback =
            subject.start == nil ? 2 * (subject.greetedHeartbeat ?? subject.stated("heartbeatSeconds")) : 0
        let silence = asked ?? min(fallback, longestSilence)
        return silence > 0 ? silence : nil
    }

    /// Few balancers keep idle connections for longer.
    private static let longestSilence = 600

    package func run() async -> Diagnosis {
        var examination = self
        await examination.examine()
        return examination.diagnosis
    }

    private mutating func examine() async {
        let began = ContinuousClock.now
        if subject.start == nil {
            do {
                try await subject.reach()
            } catch {
                unreachable("reach", error)
                return
            }
            note("reach", .ok, "\(subject.webSocket.address) accepts connections (\(readable(.now - began)))")
        }
        if let problem = subject.notReached {
            unreachable("start", problem)
            return
        }
        // Greetings that were already performed are not repeated.
        let greetings = subject.greeting == nil ? self.greetings.scenarios : []
        let stage = ServerStage(subject: probes.probedSubject, specification: specification)
        let outcome = await SuiteRun(stage: stage).run(greetings + probes.scenarios)
        if let problem = outcome.startProblem {
            unreachable("start", problem)
            return
        }
        if let start = subject.start {
            note("start", .ok, "'\(start.command.first ?? "")' starts, and stops when asked")
        }
        let results = Dictionary(
            (subject.greetings + outcome.performances).map { ($0.scenario, Probe($0, under: specification)) },
            uniquingKeysWith: { $1 })
        if let foreign = foreign(in: results.values) {
            note("connected", .fault, foreign.what, fix: foreign.fix())
            diagnosis.isForeign = true
            return
        }
        let isUsable = credentials(results)
        if isUsable, let probe = results[ExaminationProbes.name("script")] { agent(probe) }
        if isUsable, let probe = results[ExaminationProbes.name("idle")] { idle(probe) }
        if isUsable, let probe = results[ExaminationProbes.name("push")] { push(probe) }
        if isUsable, subject.start != nil {
            crash(results[ExaminationProbes.name("crash")])
            writes(results[ExaminationProbes.name("writes")])
        }
        forecast(besides: Set(results.values.flatMap(\.exercised)))
    }

    /// The principals that the server refuses because of their tokens, each with a fix.
    ///
    /// A mistyped token leaves nearly every clause undecided, so a run reports it first. The greetings were performed
    /// earlier.
    ///
    /// - Throws: A `SuiteProblem` if the server is not reached.
    package func refusedTokens() async throws(SuiteProblem) -> [Diagnosis.Finding] {
        do {
            try await subject.reach()
        } catch {
            throw SuiteProblem(.unreachable, error.description)
        }
        if let foreign = foreign(in: subject.greetings.map({ Probe($0, under: specification) })) {
            throw SuiteProblem(foreign, at: subject.shownAddress)
        }
        var examination = self
        for (number, group) in greetings.groups.enumerated() {
            let name = Greetings.name(number)
            guard let performance = subject.greetings.first(where: { $0.scenario == name }) else { continue }
            let probe = Probe(performance, under: specification)
            for (index, principal) in group.enumerated() {
                let lane = Lane.connection(Greetings.letter(index))
                guard let reason = probe.refusal(on: lane), probe.isAboutCredentials(on: lane) else { continue }
                examination.refuse(principal, reason, isAboutCredentials: true)
            }
        }
        return examination.diagnosis.findings
    }

    private func foreign(in probes: some Sequence<Probe>) -> ForeignProtocol? {
        let watch = ForeignWatch(.server, under: specification)
        for probe in probes where subject.dialect.isCanonical { watch.note(probe.history) }
        return watch.found
    }

    private mutating func unreachable(_ check: String, _ problem: HarnessProblem) {
        diagnosis.isUnreachable = true
        note(check, .fault, problem.inShort, fix: problem.fix)
    }

    // MARK: credentials

    /// Checks each principal's connection and list of sessions; returns whether the first principal was accepted.
    private mutating func credentials(_ results: [String: Probe]) -> Bool {
        var greeted: [String] = []
        var answers: [(name: String, status: Int?)] = []
        var firstProbe: Probe?
        for (number, group) in greetings.groups.enumerated() {
            guard let probe = results[Greetings.name(number)] else { continue }
            for (index, principal) in group.enumerated() {
                let lane = Lane.connection(Greetings.letter(index))
                if let reason = probe.refusal(on: lane) {
                    refuse(
                        principal, probe.history.events.isEmpty ? probe.reason : reason,
                        isAboutCredentials: probe.isAboutCredentials(on: lane))
                } else {
                    greeted.append(principal.name)
                    answers.append((principal.name, probe.response(to: "p\(index + 1)")?.status))
                    firstProbe = firstProbe ?? probe
                }
            }
        }
        if !greeted.isEmpty {
            let names = greeted.count > 6 ? "\(greeted.count) principals" : greeted.joined(separator: ", ")
            let how = subject.dialect.assumedGreeting == nil ? "greeted with 'connected'" : "let in"
            note("auth", .ok, "\(names) \(greeted.count == 1 ? "is" : "are") \(how)")
        }
        sharedTokens()
        if let firstProbe { greeting(firstProbe) }
        sessionList(answers)
        return greeted.first == subject.principals.first?.name
    }

    private mutating func refuse(_ principal: ServerSubject.Principal, _ reason: String, isAboutCredentials: Bool) {
        guard isAboutCredentials else {
            note(
                "auth", .fault, "\(principal.name) gets no greeting: \(reason)",
                fix: "make the server answer 'auth' with 'connected' within \(readable(subject.timeouts.connect))")
            return
        }
        let token = principal.token == nil ? "no token given for \(principal.name)" : "‹token of \(principal.name)›"
        if subject.profiles.contains(.auth) {
            note(
                "auth", .fault, "\(token): \(reason)",
                fix: "correct the token of \(principal.name) here or on the server")
        } else {
            let typing = principal.token == nil ? "" : ", most likely a typo"
            note(
                "auth", .fault,
                "\(token): \(reason), although the profile 'auth' is not declared and core needs no token\(typing)",
                fix: "\(principal.token == nil ? "give" : "correct") the token of \(principal.name);"
                    + " a server that checks tokens can declare the profile 'auth'")
        }
    }

    /// Two principals with one token are one person to the server, and leaks between them cannot be seen.
    private mutating func sharedTokens() {
        let owners = Dictionary(grouping: subject.principals.filter { $0.token != nil }, by: { $0.token ?? "" })
        for names in owners.values.map({ $0.map(\.name) }).filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
            note(
                "principals", .fault,
                "\(names.joined(separator: ", ")) have the same token, so the server sees one principal",
                fix: "give each a different token")
        }
    }

    /// Notes the contents of the greeting, and the clauses that it already violates.
    private mutating func greeting(_ probe: Probe) {
        let hasGreeting = subject.dialect.assumedGreeting == nil
        if probe.violations.isEmpty, !hasGreeting {
            note(
                "connected", .note, "the dialect \(subject.dialect.name) has no greeting, so greetings are not tested")
        } else if probe.violations.isEmpty {
            note("connected", .ok, "the greeting is valid")
        } else {
            note(
                "connected", .fault, "greeting and first reads break \(probe.violations.joined(separator: "; "))",
                fix: "the suite will report the same with evidence; 'conformance explain' shows each clause")
        }
        if !probe.unkeepable.isEmpty {
            let clauses = probe.unkeepable.map(\.description).joined(separator: ", ")
            note("dialect", .note, "no server with the wire format of \(subject.dialect.name) can keep \(clauses)")
        }
        if subject.isUndeclared, subject.notReached == nil { note("profiles", .note, subject.statedWords) }
        for announced in Announcements.notes(on: [probe.history], declared: subject.profiles) {
            note("profiles", .note, announced)
        }
    }

    private mutating func sessionList(_ answers: [(name: String, status: Int?)]) {
        var base = subject.http.address[...]
        while base.last == "/" { base = base.dropLast() }
        guard let wire = subject.dialect.encode(RESTRequest(method: "GET", path: "/api/sessions")) else {
            return note("rest", .note, "the dialect \(subject.dialect.name) has no list of sessions to ask for")
        }
        let path = wire.path.prefix { $0 != "?" }
        let url = subject.start == nil ? "\(base)\(path)" : String(path)
        let refused = Dictionary(grouping: answers.filter { $0.status != 200 }, by: \.status)
        for (status, answers) in refused.sorted(by: { ($0.key ?? 0) < ($1.key ?? 0) }) {
            let fix =
                switch status {
                case 401, 403: "make REST accept the same token as the WebSocket, as a bearer token"
                case 404: "correct --http, the base URL of the REST API"
                default: "make the REST API reachable, or give its base URL with --http"
                }
            note(
                "rest", .fault,
                "\(url) \(status.map { "answers \($0)" } ?? "gives no answer") to "
                    + answers.map(\.name).joined(separator: ", "), fix: fix)
        }
        if refused.isEmpty, !answers.isEmpty {
            note("rest", .ok, "\(url) accepts the same credentials")
        }
    }

    // MARK: agent

    private mutating func agent(_ probe: Probe) {
        let answer = probe.answer?.string("text")
        let said =
            answer.map { "'\($0.prefix(60))'" } ?? probe.first("error").map { "error{\($0.code ?? "no code")}" }
            ?? "nothing" + (probe.end.map { ": \($0)" } ?? " within \(readable(subject.timeouts.turn))")
        switch (subject.agent, answer == probes.reply) {
        case (.plain, true):
            note(
                "agent", .note, "the agent follows scripts, but this is not declared",
                fix: "give --scripted-agent, or 'agent': 'scripted' in the subject file: more clauses can be tested")
            diagnosis.betterFlags.append("--scripted-agent")
        case (.plain, false) where answer != nil:
            note("agent", .ok, "the agent answers but does not follow scripts, so only tier 1 can be tested")
        case (.plain, false):
            note("agent", .fault, "a question brings \(said)", fix: "make the agent answer an ordinary question")
        case (_, true):
            note("agent", .ok, "the agent follows a script exactly")
            if subject.agent == .model { tools(probe) }
        case (_, false):
            let fix =
                subject.agent == .model
                ? "point the server's model address at the suite's endpoint (chapter 3.3 of the specification)"
                : "turn on the server's test mode (chapter 3.3 of the specification), or declare 'agent': 'plain'"
            note("agent", .fault, "asked to answer exactly '\(probes.reply)', the agent says \(said)", fix: fix)
        }
    }

    /// A model must use the server's own tools, so tool names cannot distinguish two questions (ORDER-2).
    private mutating func tools(_ probe: Probe) {
        guard let use = probe.first("toolUse") else {
            // Some dialects have no message for the use of a tool.
            guard subject.dialect.isCanonical else { return }
            note(
                "tools", .gap, "the model uses a tool, but no 'toolUse' arrives: ORDER-2 will be untested",
                fix: "offer the model at least one tool, and send 'toolUse' when it is used")
            return
        }
        guard use.turnId == nil, use["input"]?["of"] != .string(probes.reply) else { return }
        note(
            "tools", .gap,
            "'toolUse' has neither 'turnId' nor 'input': ORDER-2 will be inconclusive, because nothing "
                + "tells two questions of one session apart", fix: "send 'input' as the model gave it, or 'turnId'")
    }

    // MARK: silence

    /// A silent connection must stay open: balancers and proxies cut it without telling either side.
    private mutating func idle(_ probe: Probe) {
        let silence = counted(probes.silence ?? 0, "second")
        let heartbeat = subject.greetedHeartbeat ?? subject.stated("heartbeatSeconds")
        guard let cut = probe.silenceBeforeTheEnd else {
            guard probe.stoppedAt == nil else { return note("idle", .note, "not tried: \(probe.reason)") }
            return note(
                "idle", .ok,
                "a connection on which the client sends nothing for \(silence) stays open, at a heartbeat of \(heartbeat) s"
            )
        }
        let seconds = Double(cut.milliseconds / 100) / 10
        note(
            "idle", .fault,
            "a silent connection was cut after \(seconds) s without traffic, and the server's heartbeat is \(heartbeat) s",
            fix: "let the balancer or proxy in front of the server keep idle connections for more than two heartbeats, "
                + "or shorten heartbeatSeconds to less than half of its idle timeout")
    }

    // MARK: push

    private mutating func push(_ probe: Probe) {
        if probe.hasPush {
            note("push", .ok, "an answer that no connection received arrives at the suite's push service")
            return
        }
        var why =
            probe.problems.first?.description ?? probe.stoppedAt ?? "no push for \(subject.principals[0].name) arrives"
        if let sink = subject.pushSink {
            why += " at \(sink.url) within \(readable(subject.timeouts.push))"
            let paths = Set(sink.strays.map { "\($0.method) \($0.path.prefix(40))" }).sorted()
            if !paths.isEmpty { why += "; it receives \(paths.prefix(3).joined(separator: ", "))" }
        }
        note(
            "push", .gap, why,
            fix:
                "configure the server to push to {push} or --push-sink, and give its device tokens: --device p1=…"
        )
    }

    // MARK: crashes and faults

    /// Checks that a server killed after its `done` restarts with its data.
    private mutating func crash(_ probe: Probe?) {
        guard let probe, probe.has("start") else {
            note(
                "restart", .fault,
                "killed and restarted, the server does not come back: \(probe?.reason ?? "nothing was tried")",
                fix:
                    "make it start with the same data and port; a stale lock file must not stop it"
            )
            return
        }
        let text = probe.answer?.string("text") ?? ""
        let answer = probe.response(to: "p1")
        if let answer, answer.status == 200, answer.body.contains(text) {
            note("restart", .ok, "killed and restarted, it is back with its data")
        } else {
            let found = answer.map { "answers \($0.status)" } ?? "gives no answer"
            note(
                "restart", .fault,
                "killed and restarted, it \(found) for a session whose answer it had sent with 'done'",
                fix: "store data where it survives a restart: {data} is the folder of one instance")
        }
    }

    /// Checks that the fault reaches the store: while writes fail, no answer can be stored.
    private mutating func writes(_ probe: Probe?) {
        let fix =
            "store data in files of the started process or its children; the suite cannot reach another machine or service"
        guard let probe, probe.has("refuseWrites") else {
            note(
                "writes", .gap,
                "writes cannot be made to fail here: \(probe?.reason ?? "nothing was tried"); PERSIST-1 will be inconclusive",
                fix: "run on Linux, as a user who may limit the server's processes")
            return
        }
        if probe.last("done", after: "refuseWrites") != nil {
            note(
                "writes", .gap,
                "'done' arrives although writes fail: the fault does not reach the store, or the answer is not stored",
                fix: fix)
        } else {
            note("writes", .ok, "failing writes reach the store: no 'done' arrives meanwhile")
        }
    }

    // MARK: forecast

    /// Notes the number of scenarios that can run, and the clauses that a run will leave undecided.
    private mutating func forecast(besides exercised: Set<ClauseID>) {
        let forecast = Forecast(of: selection, against: subject, scope: scope, under: specification)
        let runnable = "\(forecast.performed.count) of \(selection.scenarios.count) can run"
        if let missed = scope.isStrict
            ? selection.scenarios.lazy.compactMap(forecast.leftOut).first(where: \.isMissed) : nil
        {
            note(
                "scenarios", .gap,
                "\(runnable); a strict run is incomplete without \(missed.name): \(missed.skipped ?? "")")
        } else {
            note("scenarios", .ok, runnable)
        }
        diagnosis.open = forecast.open(besides: exercised)
    }

    private mutating func note(_ check: String, _ status: Diagnosis.Status, _ what: String, fix: String? = nil) {
        diagnosis.findings.append(Diagnosis.Finding(check: check, status: status, what: what, fix: fix))
    }
}

extension Probe {
    fileprivate var reason: String {
        let words = problems.first?.description ?? stoppedAt ?? "its steps ended early"
        return String(words.split(separator: "\n").first ?? "")
    }
}
