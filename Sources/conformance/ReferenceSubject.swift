import Foundation
import Holdfast
import Stage
import Transport

/// This same program as a subject that is started: the reference server with everything it can be told.
struct ReferenceSubject {
    /// Principals, so that many scenarios run at once and each has devices of its own.
    var principals = 12
    /// What is wrong with it, by name.
    var defects: [String] = []
    /// What it does differently, by name.
    var variations: [String] = []
    /// The dialect it speaks.
    var dialect = Dialect.canonical
    /// What this program finds the dialect by; its name when nil.
    var dialectFile: String?
    /// How many replayed frames it keeps.
    var replayFrames = 1000

    /// The app its notices are for.
    static let topic = "app.holdfast.reference"
    /// Short times, so that a run can wait for them.
    private static let heartbeatSeconds = 1
    private static let authSeconds = 2
    private static let messagesPerMinute = 60
    private static let rateWindowSeconds = 5

    /// The subject; its addresses are known once it is started.
    func subject() throws -> ServerSubject {
        let people = (1...principals).map { number in
            ServerSubject.Principal(
                name: "p\(number)", token: UUID().uuidString,
                device: UUID().uuidString.replacing("-", with: "").lowercased())
        }
        var command = [
            try Self.program(), "serve", "--port", "{port}", "--data", "{data}", "--end-with-input", "--heartbeat",
            "\(Self.heartbeatSeconds)", "--auth-seconds", "\(Self.authSeconds)", "--messages-per-minute",
            "\(Self.messagesPerMinute)", "--rate-window", "\(Self.rateWindowSeconds)", "--replay-frames",
            "\(replayFrames)", "--push-url", "{push}", "--topic", Self.topic,
        ]
        for person in people {
            command += ["--token", "\(person.name)=\(person.token ?? "")"]
            command += ["--device", "\(person.name)=\(person.device ?? "")"]
        }
        if !dialect.isCanonical { command += ["--dialect", dialectFile ?? dialect.name] }
        for defect in defects { command += ["--defect", defect] }
        for variation in variations { command += ["--variation", variation] }
        var subject = ServerSubject(
            name: ReferencePeer.name, webSocket: try Endpoint("ws://127.0.0.1:1/ws"), principals: people,
            profiles: Profile.all(of: .server), hasScriptedAgent: true)
        subject.start = StartCommand(command)
        subject.speak(dialect)
        subject.start?.url = dialect.address(of: StartCommand.usualURL)
        if !dialect.isCanonical { subject.profiles = dialect.usualProfiles }
        subject.limits = [
            "heartbeatSeconds": Self.heartbeatSeconds, "authSeconds": Self.authSeconds,
            "messagesPerMinute": Self.messagesPerMinute, "rateWindowSeconds": Self.rateWindowSeconds,
        ]
        return subject
    }

    /// Where this program lies, whatever it was called by.
    static func program() throws -> String {
        if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { return path }
        guard let path = Bundle.main.executablePath else {
            throw Tool.refuse(
                "--reference", "this program does not know where it lies", expected: "a path to start it again",
                fix: "start 'conformance serve' by hand, and name it with --subject")
        }
        return path
    }
}
