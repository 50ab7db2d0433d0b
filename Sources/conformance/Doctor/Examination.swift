import Foundation
import Holdfast
import Judge
import Report
import Stage
import Transcript

/// Looks at everything a run depends on, before the run: short probes, each with a finding and what to do about it.
struct Examination {
    let subject: ServerSubject
    let scope: Scope
    let specification: Specification
    let selection: Selection

    func run() async -> Diagnosis {
        var diagnosis = Diagnosis()
        let began = ContinuousClock.now
        do {
            try await subject.reach()
        } catch {
            diagnosis.isUnreachable = true
            let parts = error.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            diagnosis.note(
                "reach", .fault, parts.first ?? "", fix: parts.last.map { String($0.trimmingPrefix("fix: ")) })
            return diagnosis
        }
        diagnosis.note("reach", .ok, "\(subject.webSocket.place) takes connections (\(readable(.now - began)))")
        let usable = await credentials(&diagnosis)
        if usable { await agent(&diagnosis) }
        means(&diagnosis)
        return diagnosis
    }

    // MARK: credentials

    /// Connects as each principal and reads the list of sessions; says whether the first one got in.
    private func credentials(_ diagnosis: inout Diagnosis) async -> Bool {
        let probes = await withTaskGroup(of: (Int, Probe).self) { group in
            for (place, principal) in subject.principals.enumerated() {
                group.addTask { (place, await greeting(of: principal)) }
            }
            var probes: [(Int, Probe)] = []
            for await probe in group { probes.append(probe) }
            return probes.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let all = Array(zip(subject.principals, probes))
        let greeted = all.filter { $0.1.first("connected") != nil }
        for (principal, probe) in all where probe.first("connected") == nil { refuse(principal, probe, &diagnosis) }
        if !greeted.isEmpty {
            let names = greeted.map(\.0.name).joined(separator: ", ")
            diagnosis.note("auth", .ok, "\(names) \(greeted.count == 1 ? "is" : "are") greeted with 'connected'")
        }
        samePeople(&diagnosis)
        for probe in greeted.prefix(1).map(\.1) { announce(probe, &diagnosis) }
        rest(greeted, &diagnosis)
        return all.first?.1.first("connected") != nil
    }

    private func greeting(of principal: ServerSubject.Principal) async -> Probe {
        var one = subject
        one.principals = [principal]
        return await Probe.run(
            "greeting", #"{"do":"connect","on":"A"},{"do":"fence","on":"A"},{"do":"listSessions"}"#,
            on: ServerStage(subject: one, specification: specification))
    }

    private func refuse(_ principal: ServerSubject.Principal, _ probe: Probe, _ diagnosis: inout Diagnosis) {
        let reason = probe.problems.first ?? probe.refusal ?? "no 'connected' comes"
        guard probe.isAboutCredentials else {
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
        for same in owners.values where same.count > 1 {
            let names = same.map(\.name).joined(separator: ", ")
            diagnosis.note(
                "principals", .fault, "\(names) have the same token, so they are one person to the server",
                fix: "give each a token of its own")
        }
    }

    /// What the greeting says, and which clauses it breaks already.
    private func announce(_ probe: Probe, _ diagnosis: inout Diagnosis) {
        if !probe.breaches.isEmpty {
            diagnosis.note(
                "connected", .fault, "the greeting breaks \(probe.breaches.joined(separator: "; "))",
                fix: "the suite will say the same with its evidence; 'conformance explain' shows the sentences")
        } else {
            diagnosis.note("connected", .ok, "the greeting is valid")
        }
        for note in Announcements.notes(on: [probe.history], declared: subject.profiles) {
            diagnosis.note("profiles", .note, note)
        }
    }

    private func rest(_ greeted: [(ServerSubject.Principal, Probe)], _ diagnosis: inout Diagnosis) {
        let base = subject.http.place
        let refused = greeted.filter { $0.1.statuses.last != .some(200) }
        for (principal, probe) in refused {
            let status = probe.statuses.last.flatMap { $0 }
            let answer = status.map { "answers \($0)" } ?? "gives no answer"
            let fix =
                switch status {
                case 401, 403: "let REST take the same token as the WebSocket, as a bearer token"
                case 404: "correct --http, the base of the REST paths"
                default: "make the REST paths reachable, or name their base with --http"
                }
            diagnosis.note("rest", .fault, "\(base)/api/sessions \(answer) to \(principal.name)", fix: fix)
        }
        if refused.isEmpty, !greeted.isEmpty {
            diagnosis.note("rest", .ok, "\(base)/api/sessions answers to the same credentials")
        }
    }

    // MARK: agent

    /// Asks one scripted question: an agent that obeys answers exactly as it was told.
    private func agent(_ diagnosis: inout Diagnosis) async {
        let reply = "examined \(UUID().uuidString.prefix(8))"
        var obedient = subject
        if obedient.agent == .plain { obedient.agent = .scripted }
        let steps = """
            {"do":"connect","on":"A"},
            {"do":"chat","on":"A","as":"c1","script":[{"reply":"\(reply)"}]},
            {"do":"await","on":"A","type":["done","error"]},
            {"do":"fence","on":"A"}
            """
        let probe = await Probe.run(
            "script", steps, on: ServerStage(subject: obedient, specification: specification))
        let answer = probe.first("done")?.string("text")
        let obeys = answer == reply
        let said = answer.map { "'\($0.prefix(60))'" } ?? probe.first("error").map { "error{\($0.code ?? "no code")}" }
        switch (subject.agent, obeys) {
        case (_, true) where subject.agent != .plain:
            diagnosis.note("agent", .ok, "the agent obeys a script to the letter")
        case (.plain, true):
            diagnosis.note(
                "agent", .note, "the agent obeys scripts, and the declaration does not say so",
                fix: "give --scripted-agent, or 'agent': 'scripted' in the subject file: more clauses can be tested")
        case (.plain, false):
            if answer != nil {
                diagnosis.note("agent", .ok, "the agent answers; it obeys no scripts, so tier 1 is what can be tested")
            } else {
                diagnosis.note(
                    "agent", .fault,
                    "a question brings \(said ?? "no answer within \(readable(subject.timeouts.turn))")",
                    fix: "let the agent answer an ordinary question")
            }
        default:
            let way =
                subject.agent == .model
                ? "point the server's model address at the suite's endpoint (chapter 3.3 of the specification)"
                : "switch the server's test mode on (chapter 3.3 of the specification), or declare 'agent': 'plain'"
            diagnosis.note(
                "agent", .fault,
                "told to answer exactly '\(reply)', the agent says "
                    + (said ?? "nothing within \(readable(subject.timeouts.turn))"),
                fix: way)
        }
    }

    // MARK: means

    /// What the suite cannot do here, clause by clause.
    private func means(_ diagnosis: inout Diagnosis) {
        let prognosis = Prognosis(
            subject: subject, scope: scope, specification: specification, selection: selection)
        let scenarios = selection.scenarios
        let possible = scenarios.filter { prognosis.obstacle(to: $0) == nil }.count
        diagnosis.note("scenarios", .ok, "\(possible) of \(scenarios.count) can be performed")
        diagnosis.open = prognosis.open
    }
}
