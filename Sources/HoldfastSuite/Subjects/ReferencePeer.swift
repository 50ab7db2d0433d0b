import Holdfast
import HoldfastJSON
import HoldfastReference
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTransport

package let toolVersion = "0.1.0"

private let referenceName = "Holdfast reference server"

extension ReferenceConfiguration {
    /// The subject file for a listening server with this configuration; the dialect is nil for the canonical form.
    package func subjectFile(port: Int, dialect name: String? = nil) -> JSONValue {
        let limits = limits.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
        let anybody = principals.first?.name
        let push = push.map { push in
            let reached = push.devices.filter { requiresAuth || $0.principal == anybody }
            let devices = reached.map { (key: $0.principal, value: JSONValue.string($0.token)) }
            return JSONValue(members: ["topic": push.topic, "devices": JSONValue.object(JSONObject(devices))])
        }
        // Without tokens, all connections belong to one principal.
        let people = requiresAuth ? principals : []
        return JSONValue(members: [
            "name": referenceName, "version": toolVersion, "url": "ws://\(host):\(port)\(socketPath)",
            "http": "http://\(host):\(port)", "profiles": profiles.map(\.rawValue), "agent": "scripted",
            "principals": people.map { JSONValue(members: ["name": $0.name, "token": $0.token]) },
            "dialect": name, "limits": limits.isEmpty ? JSONValue?.none : .object(JSONObject(limits)), "push": push,
        ])
    }

    /// The profiles that it keeps, in the order of the specification.
    package var profiles: [Profile] {
        var all: [Profile] = [.core]
        all += [.sync].filter(keeps.contains)
        if requiresAuth { all.append(.auth) }
        if messagesPerMinute != nil { all.append(.rateLimit) }
        if push != nil { all.append(.push) }
        return all.filter(dialect.profiles.contains)
    }

    /// The limits that differ from the defaults of the specification, by their names in subject files.
    private var limits: [String: Int] {
        var limits: [String: Int] = [:]
        if authSeconds != 10 { limits["authSeconds"] = authSeconds }
        if heartbeatSeconds != 30 { limits["heartbeatSeconds"] = heartbeatSeconds }
        guard let messagesPerMinute else { return limits }
        limits["messagesPerMinute"] = messagesPerMinute
        if rateWindowSeconds != 60 { limits["rateWindowSeconds"] = rateWindowSeconds }
        return limits
    }
}

/// A program that contains the reference server, as a subject that is started with every option.
struct ReferenceSubject {
    let program: String
    var defects: [String] = []
    var variations: [String] = []
    var dialect = Dialect.canonical
    /// The path of the dialect's file; if nil, the program finds the dialect by its name.
    var dialectFile: String?
    var replayFrames = 1000
    /// The profiles it keeps; nil for all.
    var profiles: Set<Profile>?
    /// The number of principals under load, where times are realistic; nil for a suite.
    var principalsUnderLoad: Int?

    /// Enough principals for many scenarios at once, each with its own device.
    static let principals = 20
    /// The app that its notifications are for.
    static let topic = "app.holdfast.reference"
    /// The limits with their profiles: times so short that a run can wait for them, and the values under load.
    private static let limits: [(name: String, option: String, of: Profile, usual: Int, underLoad: Int?)] = [
        ("authSeconds", "--auth-seconds", .auth, 2, nil), ("heartbeatSeconds", "--heartbeat", .core, 1, nil),
        ("messagesPerMinute", "--messages-per-minute", .rateLimit, 60, 30),
        ("rateWindowSeconds", "--rate-window", .rateLimit, 5, nil),
    ]

    /// The subject; its addresses are known once it is started.
    func subject() throws -> ServerSubject {
        // A load run has no push service.
        let kept = profiles ?? Profile.all(of: .server).subtracting(principalsUnderLoad == nil ? [] : [.push])
        let (secret, device) = (UUID().uuidString, UUID().uuidString.replacing("-", with: "").lowercased())
        let count = principalsUnderLoad ?? Self.principals
        // Without tokens, all connections belong to one principal.
        let people = (1...(kept.contains(.auth) ? count : 1)).map { number in
            ServerSubject.Principal(
                name: "p\(number)", token: kept.contains(.auth) ? "\(secret)-\(number)" : nil,
                device: kept.contains(.push) ? "\(device)-\(number)" : nil)
        }
        var command = [program, "serve", "--port", "{port}", "--data", "{data}", "--end-with-input"]
        command += ["--replay-frames", "\(replayFrames)"]
        if kept.contains(.push) {
            command += ["--push-url", "{push}", "--topic", Self.topic, "--device", "p{n}=\(device)-{n}"]
        }
        var limits: [String: Int] = [:]
        for limit in Self.limits where kept.contains(limit.of) {
            guard let value = principalsUnderLoad == nil ? limit.usual : limit.underLoad else { continue }
            limits[limit.name] = value
            command += [limit.option, "\(value)"]
        }
        if kept.contains(.auth) { command += ["--token", "p{n}=\(secret)-{n}", "--principals", "\(count)"] }
        command += profiles?.sorted().flatMap { ["--profile", $0.rawValue] } ?? []
        if !dialect.isCanonical { command += ["--dialect", dialectFile ?? dialect.name] }
        command += defects.flatMap { ["--defect", $0] } + variations.flatMap { ["--variation", $0] }
        var subject = ServerSubject(
            name: referenceName, webSocket: try Endpoint("ws://127.0.0.1:1/ws"), principals: people,
            profiles: profiles ?? (dialect.isCanonical ? kept : dialect.defaultProfiles()), hasScriptedAgent: true)
        subject.start = StartCommand(command)
        subject.speak(dialect)
        subject.start?.url = dialect.address(of: StartCommand.defaultURL)
        subject.limits = limits
        // It pushes at once, so a push that must not come is soon known to be missing.
        subject.timeouts.push = .seconds(5)
        return subject
    }
}
