import Basics
import Foundation
import Holdfast
import Report
import Stage
import Transcript
import Transport

/// Looks at everything a run depends on, before the run: short probes, each with a finding and what to do about it.
struct Examination {
    let subject: ServerSubject
    let scope: Scope
    let specification: Specification
    let selection: Selection

    /// What the agent is told to answer; nobody answers so by chance.
    private let reply = "examined \(UUID().uuidString.prefix(8))"
    /// As many as one scenario may use.
    private static let principalsPerProbe = 8

    init(subject: ServerSubject, scope: Scope, specification: Specification, selection: Selection) {
        self.subject = subject
        self.scope = scope
        self.specification = specification
        self.selection = selection
    }

    func run() async -> Diagnosis {
        var diagnosis = Diagnosis()
        let began = ContinuousClock.now
        if subject.start == nil {
            do {
                try await subject.reach()
            } catch {
                unreachable("reach", error, &diagnosis)
                return diagnosis
            }
            diagnosis.note("reach", .ok, "\(subject.webSocket.place) takes connections (\(readable(.now - began)))")
        }
        let outcome = await SuiteRun(stage: ServerStage(subject: asked, specification: specification)).run(probes)
        if let problem = outcome.startProblem {
            unreachable("start", problem, &diagnosis)
            return diagnosis
        }
        if let start = subject.start {
            diagnosis.note("start", .ok, "'\(start.command.first ?? "")' becomes ready, and ends when asked")
        }
        let results = Dictionary(
            outcome.performances.map { ($0.scenario, Probe($0, under: specification)) }, uniquingKeysWith: { $1 })
        let isUsable = credentials(results, &diagnosis)
        if isUsable, let probe = results[Self.name("script")] { agent(probe, &diagnosis) }
        if isUsable, let probe = results[Self.name("push")] { push(probe, &diagnosis) }
        if isUsable, subject.start != nil {
            crash(results[Self.name("crash")], &diagnosis)
            writes(results[Self.name("writes")], &diagnosis)
            trace(&diagnosis)
        }
        means(Set(results.values.flatMap(\.exercised)), &diagnosis)
        return diagnosis
    }

    /// The principals that the server turns away for their tokens, each with what to do about it.
    ///
    /// A mistyped token leaves nearly every clause open, so a run says it before anything else.
    func refusedTokens() async -> [Diagnosis.Finding] {
        var patient = asked
        patient.timeouts = patient.timeouts.capped(at: .seconds(3))
        let greetings = probes.filter { $0.name.hasPrefix(Self.name("greeting-")) }
        let outcome = await SuiteRun(stage: ServerStage(subject: patient, specification: specification)).run(greetings)
        var diagnosis = Diagnosis()
        for (place, group) in groups.enumerated() {
            let name = Self.name("greeting-\(place)")
            guard let performance = outcome.performances.first(where: { $0.scenario == name }) else { continue }
            let probe = Probe(performance, under: specification)
            for (index, principal) in group.enumerated() {
                let lane = Lane.connection(Self.letter(index))
                guard let reason = probe.refusal(on: lane), probe.isAboutCredentials(on: lane) else { continue }
                refuse(principal, reason, isAboutCredentials: true, &diagnosis)
            }
        }
        return diagnosis.findings
    }

    private func unreachable(_ check: String, _ problem: HarnessProblem, _ diagnosis: inout Diagnosis) {
        let lines = problem.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let fix = lines.last { $0.hasPrefix("fix: ") }.map { String($0.dropFirst(5)) }
        let what = lines.filter { !$0.hasPrefix("fix: ") && !$0.hasPrefix("expected: ") }
        diagnosis.isUnreachable = true
        diagnosis.note(check, .fault, what.joined(separator: " "), fix: fix)
    }

    // MARK: probes

    /// The subject as it is asked: an agent that is said to answer freely is given a script too, and may obey it.
    private var asked: ServerSubject {
        var asked = subject
        if asked.agent == .plain { asked.agent = .scripted }
        return asked
    }

    private static func name(_ probe: String) -> String { "server/LIVE/\(probe)" }

    private var probes: [Scenario] {
        var probes = groups.indices.map { place in
            let group = groups[place]
            let branches = group.indices.map { index in
                """
                [{"do":"connect","on":"\(Self.letter(index))","principal":"p\(index + 1)","optional":true},
                 {"do":"listSessions","principal":"p\(index + 1)"}]
                """
            }
            // A branch more, because two make company.
            return Probe.scenario(
                "greeting-\(place)", principals: group.count,
                #"{"do":"together","branches":[\#(branches.joined(separator: ",")),"#
                    + #"[{"do":"http","method":"GET","path":"/api/health","token":null}]]}"#)
        }
        // A model is to use a tool as well: what is seen of it decides what can be told apart.
        let tool = subject.agent == .model ? #"{"tool":"examine","input":{"of":"\#(reply)"}},"# : ""
        let question = #"{"do":"chat","on":"A","as":"c1","script":[\#(tool){"reply":"\#(reply)"}]}"#
        let asking = #"{"do":"connect","on":"A"},\#(question)"#
        probes.append(
            Probe.scenario(
                "script", asking + #",{"do":"await","on":"A","type":["done","error"]},{"do":"fence","on":"A"}"#))
        if subject.profiles.contains(.push) {
            probes.append(
                Probe.scenario(
                    "push", profiles: ["push"],
                    #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","script":[{"wait":300},{"reply":"pushed"}]},"#
                        + #"{"do":"fence","on":"A"},{"do":"close","on":"A"},"#
                        + #"{"do":"awaitPush","principal":"p1","within":"push","optional":true}"#))
        }
        if subject.start != nil {
            let answered = asking + #",{"do":"await","on":"A","type":"done","save":{"s1":"/sessionId"}}"#
            probes.append(
                Probe.scenario(
                    "crash", start: true,
                    answered + #",{"do":"kill"},{"do":"start"},{"do":"readSession","session":"${s1}"}"#))
            probes.append(
                Probe.scenario(
                    "writes", start: true,
                    answered
                        + #",{"do":"refuseWrites"},{"do":"chat","on":"A","as":"c2","script":[{"reply":"refused"}]},"#
                        + #"{"do":"await","on":"A","type":["done","error"],"optional":true},{"do":"acceptWrites"}"#))
        }
        return probes.compactMap { $0 }
    }

    private var groups: [[ServerSubject.Principal]] {
        stride(from: 0, to: subject.principals.count, by: Self.principalsPerProbe).map {
            Array(subject.principals[$0..<min($0 + Self.principalsPerProbe, subject.principals.count)])
        }
    }

    private static func letter(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index))) }

    // MARK: credentials

    /// What became of each principal's connection and of its list of sessions; says whether the first one got in.
    private func credentials(_ results: [String: Probe], _ diagnosis: inout Diagnosis) -> Bool {
        var greeted: [String] = []
        var answers: [(name: String, status: Int?)] = []
        var firstProbe: Probe?
        for (place, group) in groups.enumerated() {
            guard let probe = results[Self.name("greeting-\(place)")] else { continue }
            for (index, principal) in group.enumerated() {
                let lane = Lane.connection(Self.letter(index))
                if let reason = probe.refusal(on: lane) {
                    refuse(
                        principal, probe.problems.first?.description ?? reason,
                        isAboutCredentials: probe.isAboutCredentials(on: lane), &diagnosis)
                } else {
                    greeted.append(principal.name)
                    answers.append((principal.name, probe.response(to: "p\(index + 1)")?.status))
                    firstProbe = firstProbe ?? probe
                }
            }
        }
        if !greeted.isEmpty {
            let names = greeted.count > 6 ? "\(greeted.count) principals" : greeted.joined(separator: ", ")
            diagnosis.note("auth", .ok, "\(names) \(greeted.count == 1 ? "is" : "are") greeted with 'connected'")
        }
        samePeople(&diagnosis)
        if let firstProbe { announce(firstProbe, &diagnosis) }
        rest(answers, &diagnosis)
        return greeted.first == subject.principals.first?.name
    }

    private func refuse(
        _ principal: ServerSubject.Principal, _ reason: String, isAboutCredentials: Bool, _ diagnosis: inout Diagnosis
    ) {
        guard isAboutCredentials else {
            diagnosis.note(
                "auth", .fault, "\(principal.name) is not greeted: \(reason)",
                fix: "let the server answer 'auth' with 'connected' within \(readable(subject.timeouts.connect))")
            return
        }
        let token = principal.token == nil ? "no token was given for \(principal.name)" : "‹token of \(principal.name)›"
        if subject.profiles.contains(.auth) {
            diagnosis.note(
                "auth", .fault, "\(token): \(reason)", fix: "correct the token of \(principal.name), on both sides")
        } else {
            let typing = principal.token == nil ? "" : ", most likely a typing mistake"
            diagnosis.note(
                "auth", .fault,
                "\(token): \(reason), though no profile 'auth' is declared and 'core' asks for no token\(typing)",
                fix: "\(principal.token == nil ? "give" : "correct") the token of \(principal.name);"
                    + " a server that checks tokens can declare the profile 'auth'")
        }
    }

    /// Two principals with one token are one person to the server, and leaks between them cannot be seen.
    private func samePeople(_ diagnosis: inout Diagnosis) {
        let owners = Dictionary(grouping: subject.principals.filter { $0.token != nil }, by: { $0.token ?? "" })
        for same in owners.values.map({ $0.map(\.name) }).filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
            diagnosis.note(
                "principals", .fault,
                "\(same.joined(separator: ", ")) have the same token, so they are one person to the server",
                fix: "give each a token of its own")
        }
    }

    /// What the greeting says, and which clauses it breaks already.
    private func announce(_ probe: Probe, _ diagnosis: inout Diagnosis) {
        if probe.breaches.isEmpty {
            diagnosis.note("connected", .ok, "the greeting is valid")
        } else {
            diagnosis.note(
                "connected", .fault, "greeting and first reads break \(probe.breaches.joined(separator: "; "))",
                fix: "the suite will say the same with its evidence; 'conformance explain' shows the sentences")
        }
        for note in Announcements.notes(on: [probe.history], declared: subject.profiles) {
            diagnosis.note("profiles", .note, note)
        }
    }

    private func rest(_ answers: [(name: String, status: Int?)], _ diagnosis: inout Diagnosis) {
        var base = subject.http.place[...]
        while base.last == "/" { base = base.dropLast() }
        let place = subject.start == nil ? "\(base)/api/sessions" : "/api/sessions"
        guard subject.dialect.encode(RESTRequest(method: "GET", path: "/api/sessions")) != nil else {
            return diagnosis.note(
                "rest", .note, "the dialect \(subject.dialect.name) has no list of sessions to ask for")
        }
        let refused = Dictionary(grouping: answers.filter { $0.status != 200 }, by: \.status)
        for (status, answers) in refused.sorted(by: { ($0.key ?? 0) < ($1.key ?? 0) }) {
            let fix =
                switch status {
                case 401, 403: "let REST take the same token as the WebSocket, as a bearer token"
                case 404: "correct --http, the base of the REST paths"
                default: "make the REST paths reachable, or name their base with --http"
                }
            diagnosis.note(
                "rest", .fault,
                "\(place) \(status.map { "answers \($0)" } ?? "gives no answer") to "
                    + answers.map(\.name).joined(separator: ", "), fix: fix)
        }
        if refused.isEmpty, !answers.isEmpty {
            diagnosis.note("rest", .ok, "\(place) answers to the same credentials")
        }
    }

    // MARK: agent

    /// An agent that obeys answers exactly as it was told.
    private func agent(_ probe: Probe, _ diagnosis: inout Diagnosis) {
        let answer = probe.first("done")?.string("text")
        let said =
            answer.map { "'\($0.prefix(60))'" } ?? probe.first("error").map { "error{\($0.code ?? "no code")}" }
            ?? "nothing within \(readable(subject.timeouts.turn))"
        switch (subject.agent, answer == reply) {
        case (.plain, true):
            diagnosis.note(
                "agent", .note, "the agent obeys scripts, and the declaration does not say so",
                fix: "give --scripted-agent, or 'agent': 'scripted' in the subject file: more clauses can be tested")
        case (.plain, false) where answer != nil:
            diagnosis.note("agent", .ok, "the agent answers; it obeys no scripts, so tier 1 is what can be tested")
        case (.plain, false):
            diagnosis.note(
                "agent", .fault, "a question brings \(said)", fix: "let the agent answer an ordinary question")
        case (_, true):
            diagnosis.note("agent", .ok, "the agent obeys a script to the letter")
            if subject.agent == .model { tools(probe, &diagnosis) }
        case (_, false):
            let way =
                subject.agent == .model
                ? "point the server's model address at the suite's endpoint (chapter 3.3 of the specification)"
                : "switch the server's test mode on (chapter 3.3 of the specification), or declare 'agent': 'plain'"
            diagnosis.note("agent", .fault, "told to answer exactly '\(reply)', the agent says \(said)", fix: way)
        }
    }

    /// A model has to use the server's own tools, so that their names tell no two questions apart (ORDER-3).
    private func tools(_ probe: Probe, _ diagnosis: inout Diagnosis) {
        guard let use = probe.first("toolUse") else {
            // Some dialects have no word for it.
            guard subject.dialect.isCanonical else { return }
            diagnosis.note(
                "tools", .gap, "the model uses a tool, and no 'toolUse' comes: ORDER-3 will be untested",
                fix: "offer the model one tool at least, and send 'toolUse' when it is used")
            return
        }
        guard use.turnId == nil, use["input"]?["of"] != .string(reply) else { return }
        diagnosis.note(
            "tools", .gap,
            "'toolUse' shows neither its turn nor what the tool is given: ORDER-3 will be inconclusive, because nothing "
                + "tells two questions of one session apart",
            fix: "send 'input' as the model gave it, or 'turnId'")
    }

    // MARK: push

    /// An answer nobody was connected for has to arrive at the push service.
    private func push(_ probe: Probe, _ diagnosis: inout Diagnosis) {
        if probe.hasPush {
            diagnosis.note("push", .ok, "an answer nobody took live arrives at the suite's push service")
            return
        }
        var why =
            probe.problems.first?.description ?? probe.stoppedAt ?? "no push for \(subject.principals[0].name) arrives"
        if let sink = subject.pushSink {
            why += " at \(sink.url) within \(readable(subject.timeouts.push))"
            let paths = Set(sink.strays.map { "\($0.method) \($0.path.prefix(40))" }).sorted()
            if !paths.isEmpty { why += "; what arrives is \(paths.prefix(3).joined(separator: ", "))" }
        }
        diagnosis.note(
            "push", .gap, why,
            fix:
                "point the server's push service at {push} or --push-sink, and give the device tokens it knows: --device p1=…"
        )
    }

    // MARK: means

    /// What the suite cannot do here, clause by clause; what the probes exercised already will not stay open.
    private func means(_ exercised: Set<ClauseID>, _ diagnosis: inout Diagnosis) {
        let prognosis = Prognosis(
            subject: subject, scope: scope, specification: specification, selection: selection, exercised: exercised)
        let possible = selection.scenarios.filter { prognosis.obstacle(to: $0) == nil }.count
        diagnosis.note("scenarios", .ok, "\(possible) of \(selection.scenarios.count) can be performed")
        diagnosis.open = prognosis.open
    }
}
