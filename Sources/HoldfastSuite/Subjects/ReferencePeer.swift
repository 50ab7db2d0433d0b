import Foundation
import Holdfast
import JSON
import Reference
import Stage
import Transport

/// The version of this program, for reports.
package let toolVersion = "0.1.0"

private let referenceName = "Holdfast reference server"

extension ReferenceConfiguration {
    /// The subject file for a server that is so configured, once it listens; the dialect is nil for the specification's own
    /// form.
    package func subjectFile(port: Int, dialect name: String? = nil) -> JSONValue {
        let limits = limits.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
        let push = push.map { push in
            let devices = push.devices.map { (key: $0.principal, value: JSONValue.string($0.token)) }
            return JSONValue(members: ["topic": push.topic, "devices": JSONValue.object(JSONObject(devices))])
        }
        return JSONValue(members: [
            "name": referenceName, "version": toolVersion, "url": "ws://\(host):\(port)\(socketPath)",
            "http": "http://\(host):\(port)", "profiles": profiles.map(\.rawValue), "agent": "scripted",
            "principals": principals.map { JSONValue(members: ["name": $0.name, "token": $0.token]) },
            "dialect": name, "limits": limits.isEmpty ? JSONValue?.none : .object(JSONObject(limits)), "push": push,
        ])
    }

    private var profiles: [Profile] {
        let all: [Profile] =
            [.core] + [.idempotency, .sync].filter(keeps.contains) + [.auth]
            + (messagesPerMinute == nil ? [] : [.rateLimit]) + (push == nil ? [] : [.push])
        return all.filter(dialect.profiles.contains)
    }

    /// The times that differ from those of the specification, as subject files name them.
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

/// A program that carries the reference server, as a subject that is started with everything it can be told.
struct ReferenceSubject {
    /// Where the program lies.
    let program: String
    /// What is wrong with it, by name.
    var defects: [String] = []
    /// What it does differently, by name.
    var variations: [String] = []
    /// The dialect it speaks.
    var dialect = Dialect.canonical
    /// What the program finds the dialect by; its name when nil.
    var dialectFile: String?
    /// How many replayed frames it keeps.
    var replayFrames = 1000

    /// Principals, so that many scenarios run at once and each has devices of its own.
    private static let principals = 12
    /// The app its notices are for.
    static let topic = "app.holdfast.reference"
    /// Short times, so that a run can wait for them.
    private static let limits = [
        "heartbeatSeconds": 1, "authSeconds": 2, "messagesPerMinute": 60, "rateWindowSeconds": 5,
    ]
    private static let options = [
        "heartbeatSeconds": "--heartbeat", "authSeconds": "--auth-seconds",
        "messagesPerMinute": "--messages-per-minute", "rateWindowSeconds": "--rate-window",
    ]

    /// The subject; its addresses are known once it is started.
    func subject() throws -> ServerSubject {
        let people = (1...Self.principals).map { number in
            ServerSubject.Principal(
                name: "p\(number)", token: UUID().uuidString,
                device: UUID().uuidString.replacing("-", with: "").lowercased())
        }
        var command = [program, "serve", "--port", "{port}", "--data", "{data}", "--end-with-input"]
        command += ["--replay-frames", "\(replayFrames)", "--push-url", "{push}", "--topic", Self.topic]
        for (name, option) in Self.options.sorted(by: { $0.key < $1.key }) {
            command += [option, "\(Self.limits[name] ?? 0)"]
        }
        for person in people {
            command += ["--token", "\(person.name)=\(person.token ?? "")"]
            command += ["--device", "\(person.name)=\(person.device ?? "")"]
        }
        if !dialect.isCanonical { command += ["--dialect", dialectFile ?? dialect.name] }
        command += defects.flatMap { ["--defect", $0] } + variations.flatMap { ["--variation", $0] }
        var subject = ServerSubject(
            name: referenceName, webSocket: try Endpoint("ws://127.0.0.1:1/ws"), principals: people,
            profiles: dialect.isCanonical ? Profile.all(of: .server) : dialect.usualProfiles, hasScriptedAgent: true)
        subject.start = StartCommand(command)
        subject.speak(dialect)
        subject.start?.url = dialect.address(of: StartCommand.usualURL)
        subject.limits = Self.limits
        return subject
    }
}
