import Foundation
import Holdfast
import JSON
import Reference
import Stage
import Transport

/// How this tool sets up a reference server, and the subject file that describes it.
struct ReferencePeer {
    let host: String
    let port: Int
    let dataFolder: String
    let principals: [(name: String, token: String)]
    let requiresAuth: Bool

    /// Principals with tokens nobody can guess, as many as scenarios run at once.
    static func freshPrincipals(_ count: Int = 8) -> [(name: String, token: String)] {
        (1...count).map { ("p\($0)", UUID().uuidString) }
    }

    /// A healthy server that keeps every server profile.
    var configuration: ReferenceConfiguration {
        var configuration = ReferenceConfiguration(dataFolder: dataFolder)
        configuration.host = host
        configuration.port = port
        configuration.principals = principals.map { (name: $0.name, token: $0.token) }
        configuration.requiresAuth = requiresAuth
        return configuration
    }

    static let name = "Holdfast reference server"

    /// What the reference server declares.
    static let profiles: [Profile] = [.core, .idempotency, .sync, .auth]

    /// The server as a subject, once it listens.
    func subject(port: Int) throws -> ServerSubject {
        ServerSubject(
            name: Self.name, webSocket: try Endpoint("ws://\(host):\(port)/ws"),
            principals: principals.map { ServerSubject.Principal(name: $0.name, token: $0.token) },
            profiles: Set(Self.profiles), hasScriptedAgent: true)
    }

    /// What a server declares that is so configured.
    static func profiles(of configuration: ReferenceConfiguration) -> [Profile] {
        let all =
            profiles + (configuration.messagesPerMinute == nil ? [] : [.rateLimit])
            + (configuration.push == nil ? [] : [.push])
        return all.filter(configuration.dialect.profiles.contains)
    }

    /// The times it was configured with that differ from those of the specification, as subject files name them.
    static func limits(of configuration: ReferenceConfiguration) -> [String: Int] {
        var limits: [String: Int] = [:]
        if configuration.authSeconds != 10 { limits["authSeconds"] = configuration.authSeconds }
        if configuration.heartbeatSeconds != 30 { limits["heartbeatSeconds"] = configuration.heartbeatSeconds }
        guard let budget = configuration.messagesPerMinute else { return limits }
        limits["messagesPerMinute"] = budget
        if configuration.rateWindowSeconds != 60 { limits["rateWindowSeconds"] = configuration.rateWindowSeconds }
        return limits
    }

    /// The subject file for the server once it listens; the dialect is nil for the specification's own form.
    func subjectFile(port: Int, _ configuration: ReferenceConfiguration, dialect: String? = nil) -> JSONValue {
        var file: JSONValue = [
            "name": .string(Self.name),
            "version": .string(Tool.version),
            "url": .string("ws://\(host):\(port)\(configuration.socketPath)"),
            "http": .string("http://\(host):\(port)"),
            "profiles": .array(Self.profiles(of: configuration).map { .string($0.rawValue) }),
            "agent": "scripted",
            "principals": .array(principals.map { ["name": .string($0.name), "token": .string($0.token)] }),
        ]
        if let dialect { file["dialect"] = .string(dialect) }
        let limits = Self.limits(of: configuration).sorted { $0.key < $1.key }
        if !limits.isEmpty { file["limits"] = .object(JSONObject(limits.map { ($0.key, JSONValue($0.value)) })) }
        if let push = configuration.push {
            let devices = push.devices.map { (key: $0.principal, value: JSONValue.string($0.token)) }
            file["push"] = ["topic": .string(push.topic), "devices": .object(JSONObject(devices))]
        }
        return file
    }
}
