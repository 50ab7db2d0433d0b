import Foundation
import Holdfast
import Reference
import Stage
import Transport

/// A reference server inside this process, with one defect; cheaper than a program of its own, and nothing can kill it.
struct ReferenceInProcess: Sendable {
    let defect: Defect
    /// How long anything it owes is waited for; as long as the specification allows when nil.
    let patience: Duration?

    /// How long a broken server is waited for: it is on the same machine, and what it does not send never comes.
    static let patience = Duration.seconds(3)
    /// What a broken or varied server keeps for replay: a tenth of the usual shows the same in a tenth of the time.
    static let replayFrames = 100

    /// Starts it, lets the body meet it, and ends it.
    func run<Result>(_ body: (ServerSubject) async throws -> Result) async throws -> Result {
        let folder = NSTemporaryDirectory() + "holdfast-\(UUID().uuidString)"
        try Files.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let described = try ReferenceSubject().subject()
        return try await Services.run(for: described, push: Services.Address()) { subject in
            let server = try await ReferenceServer.start(configuration(of: subject, dataFolder: folder))
            var subject = subject
            subject.start = nil
            subject.webSocket = try Endpoint("ws://127.0.0.1:\(server.port)/ws")
            subject.http = subject.webSocket.httpBase
            if let patience { subject.timeouts = subject.timeouts.capped(at: patience) }
            do {
                let result = try await body(subject)
                await server.stop()
                return result
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    private func configuration(of subject: ServerSubject, dataFolder: String) -> ReferenceConfiguration {
        var configuration = ReferenceConfiguration(dataFolder: dataFolder)
        configuration.principals = subject.principals.map { (name: $0.name, token: $0.token ?? "") }
        configuration.requiresAuth = true
        configuration.replayFrames = Self.replayFrames
        configuration.heartbeatSeconds = subject.limits["heartbeatSeconds"] ?? configuration.heartbeatSeconds
        configuration.authSeconds = subject.limits["authSeconds"] ?? configuration.authSeconds
        configuration.messagesPerMinute = subject.limits["messagesPerMinute"]
        configuration.rateWindowSeconds = subject.limits["rateWindowSeconds"] ?? configuration.rateWindowSeconds
        configuration.defects = [defect]
        configuration.push = subject.pushSink.map { sink in
            PushService(
                url: sink.url, topic: ReferenceSubject.topic,
                devices: subject.principals.compactMap { principal in
                    principal.device.map { (principal: principal.name, token: $0) }
                })
        }
        return configuration
    }
}
