import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

/// A server under test: its address, its declaration, and the principals to use.
package struct ServerSubject: Sendable {
    package var name: String
    package var webSocket: Endpoint
    /// The base of its REST paths.
    package var http: Endpoint
    /// The principals whose credentials the scenarios may use; by default one without a credential.
    package var principals: [Principal]
    package var profiles: Set<Profile>
    /// Whether its greeting declares its profiles, because neither flags nor files do.
    package var isUndeclared = false
    package var dialect = Dialect.canonical
    package var agent: SubjectFile.Agent
    /// Whether its agent follows scripts in the prompt, either itself or through the model it asks.
    package var hasScriptedAgent: Bool { agent != .plain }
    package var tls: TLSOptions
    /// Headers of every upgrade and request, such as a cookie that a gateway asks for; never written to a transcript.
    package var headers: [(String, String)] = []
    package var timeouts: Timeouts
    /// The limits that it was configured with, by their names in the subject file, such as `authSeconds`.
    package var limits: [String: Int] = [:]
    /// The longest time that a scenario may wait for heartbeats, an announced wait or a free budget of the subject.
    package var patience: Duration = .seconds(20)
    /// Whether its principals asked nothing before the run, so that their budgets are full.
    package var isUntouched = false
    /// The results of the greetings before the run; empty if there were none.
    package var greetings: [Performance] = []
    /// The reason why it was not reached; nil if it was, or if no attempt was made.
    package var notReached: HarnessProblem?
    /// The command with which the suite starts it; nil if it is started elsewhere.
    package var start: StartCommand?
    /// The number of times that a crash scenario ends it; more kills prove more.
    package var kills = 20
    package var pushSink: PushSink?

    package typealias Principal = SubjectPrincipal

    package init(
        name: String, webSocket: Endpoint, http: Endpoint? = nil, principals: [Principal] = [],
        profiles: Set<Profile> = [.core], hasScriptedAgent: Bool = false, tls: TLSOptions = TLSOptions(),
        timeouts: Timeouts = Timeouts(), pushSink: PushSink? = nil
    ) {
        self.name = name
        self.webSocket = webSocket
        self.http = http ?? webSocket.httpBase
        self.principals = principals.isEmpty ? [Principal(name: "p1")] : principals
        self.profiles = profiles
        agent = hasScriptedAgent ? .scripted : .plain
        (self.tls, self.timeouts, self.pushSink) = (tls, timeouts, pushSink)
    }

    /// Whole header values, and parts of them that a server may repeat alone; no transcript may show them.
    var secretsOfHeaders: [(name: String, token: String?)] {
        // An origin or a media type is not a secret, and a server repeats it in other contexts.
        headers.filter { !Self.publicHeaders.contains($0.0.lowercased()) }.flatMap { name, value in
            let credentials: [String] = value.split(separator: " ").dropFirst().map(String.init)
            let cookies: [String] = value.split(separator: ";").compactMap { cookie in
                cookie.split(separator: "=", maxSplits: 1).last.map(String.init)
            }
            let secrets: [String] = [value] + credentials + cookies
            return secrets.map { (name: name, token: $0) }
        }
    }

    private static let publicHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type", "origin",
        "pragma", "referer", "user-agent",
    ]

    package var declaration: History.Subject {
        History.Subject(
            name: name, role: .server, profiles: profiles, hasScriptedAgent: hasScriptedAgent, limits: limits)
    }

    package func obstacles(to scenario: Scenario) -> [String] {
        if scenario.role != .server { return ["it drives a client"] }
        let needs = scenario.needs
        var lacks: [String?] = []
        let absent = needs.profiles.subtracting(profiles).sorted().map(\.rawValue)
        // Other requirements of a scenario do not matter while its profile is not declared.
        if !absent.isEmpty { return ["the subject does not declare \(absent.joined(separator: ", "))"] }
        if needs.keys && !dialect.hasAcks { return ["the dialect \(dialect.name) carries no keys"] }
        if needs.start && start == nil { lacks.append("it needs --start") }
        if needs.agent == .scripted && !hasScriptedAgent {
            lacks.append("it needs a scripted agent (tier 2) or the model endpoint (tier 3)")
        }
        if needs.principals > principals.count {
            lacks.append("it needs \(needs.principals) principals, and there are \(principals.count)")
        } else if needs.profiles.contains(.push) {
            lacks.append(obstacleToPush(needs.principals))
        }
        lacks.append(needs.obstacle(greetedBy: known))
        lacks.append(patienceObstacle(with: scenario))
        var budget = ChatBudget(self, now: .now)
        budget.learn(from: greeting)
        lacks.append(budget.objection(to: scenario))
        return lacks.compactMap(\.self)
    }

    package func obstacle(to scenario: Scenario) -> String? { Performance.words(lacking: obstacles(to: scenario)) }

    /// Nil if pushes can be observed for this many principals.
    private func obstacleToPush(_ count: Int) -> String? {
        guard let pushSink else { return "it needs a push service; give --push-sink" }
        let usable = principals.count { $0.device.map { pushSink.tokenState(of: $0) != .refused } ?? false }
        if usable >= count { return nil }
        let known = principals.count { $0.device != nil }
        return "it needs the device tokens of \(counted(count, "principal")), and \(known) were given"
            + (known > usable ? ", of which \(known - usable) were refused in earlier scenarios" : "")
    }
}

extension ServerSubject {
    /// The message that greeted the first principal; nil before any greeting.
    package var greeting: Frame? {
        greetings.lazy.flatMap { DialectView($0.history).history.frames.compactMap(\.self) }.first {
            $0.type == "connected"
        }
    }

    /// The default of a value that a server may omit (SYNC-7, LIVE), or its configured value.
    func fallback(_ pointer: String) -> JSONValue? {
        let name =
            pointer.hasPrefix("/limits/") ? String(pointer.dropFirst("/limits/".count)) : String(pointer.dropFirst())
        if let limit = limits[name] { return JSONValue(limit) }
        switch pointer {
        case "/limits/replayMessages": return 1000
        case "/heartbeatSeconds": return 30
        default: return nil
        }
    }

    static func lacking(_ pointer: String, in what: String) -> String {
        // The size limit of messages is taken only from the greeting.
        let helps = pointer.hasPrefix("/limits/") && pointer != "/limits/maxFrameBytes"
        return "\(what) has no \(pointer)" + (helps ? "; a subject file may state it in 'limits'" : "")
    }

    /// The greeting, which a dialect may supply.
    private var known: JSONValue? { greeting?.value ?? dialect.assumedGreeting }

    /// The point at which a scenario will end early, because it needs a limit that the greeting does not state, or
    /// begins with a handshake that the dialect does not have; nil without a greeting.
    package func earlyEnd(of scenario: Scenario) -> String? {
        guard let known else { return nil }
        var hasWaited = false
        for step in scenario.steps {
            switch step.action {
            case .await, .awaitClose: hasWaited = true
            case .connect(let connect):
                if dialect.assumedGreeting != nil, !hasWaited, !connect.handshake || connect.version != 1 {
                    return "\(step.pointer): \(dialect.noHandshakeReason)"
                }
                for pointer in connect.save.values.map({ "\($0)" }).sorted() where pointer.hasPrefix("/limits/") {
                    guard known["limits"]?[String(pointer.dropFirst("/limits/".count))] == nil, fallback(pointer) == nil
                    else { continue }
                    return "\(step.pointer): \(Self.lacking(pointer, in: "connected"))"
                }
            default: break
            }
        }
        return nil
    }

    /// In seconds; nil before any greeting.
    package var greetedHeartbeat: Int? {
        // A value that a server may leave out has a default.
        known.map { $0["heartbeatSeconds"]?.intValue ?? stated("heartbeatSeconds") }
    }

    /// The start command, with the address of the push service and the principals.
    var startCommand: StartCommand? {
        guard var start else { return nil }
        start.pushURL = start.pushURL ?? pushSink?.url
        start.owners = principals
        return start
    }

    func at(_ instance: SubjectInstance) -> ServerSubject {
        var subject = self
        subject.webSocket = instance.webSocket
        subject.http = instance.http
        return subject
    }
}

extension ServerSubject {
    private static let defaultLimits = ["authSeconds": 10, "heartbeatSeconds": 30, "rateWindowSeconds": 60]

    /// A limit as configured, or else as in the specification.
    package func stated(_ limit: String) -> Int { limits[limit] ?? Self.defaultLimits[limit] ?? 0 }

    /// Nil if the scenario would not wait too long, or if only the subject can tell.
    func patienceObstacle(with scenario: Scenario) -> String? {
        for (name, times) in scenario.needs.patience.sorted(by: { $0.key < $1.key }) {
            // `connected` states the heartbeat; before any greeting, the step that waits decides.
            let stated = limits[name] ?? (name == "heartbeatSeconds" ? greetedHeartbeat : stated(name))
            guard let stated else { continue }
            let (wait, overflow) = stated.multipliedReportingOverflow(by: times)
            if !overflow, Duration.seconds(min(wait, 1 << 31)) <= patience { continue }
            let (whole, _) = patience.components
            return
                "the wait \(overflow ? "" : "of \(wait) s ")for \(times == 1 ? "" : "\(times) × ")\(name) \(stated) exceeds --patience "
                + "\(wholeSeconds(patience)); configure \(name) of at most \(Int(whole) / times)"
                + (overflow ? "" : ", or give --patience \(wait)")
        }
        return nil
    }
}

extension Scenario.Needs {
    /// The reason why a server with this greeting replays too little; nil if it replays enough, or does not say.
    func obstacle(greetedBy connected: JSONValue?) -> String? {
        guard let kept = connected?["limits"]?["replayMessages"]?.intValue, kept < replay else { return nil }
        // The same text for all scenarios, however many frames each needs.
        return Performance.beyondLimits + "it needs more frames kept for replay than the server keeps (\(kept))"
    }
}
