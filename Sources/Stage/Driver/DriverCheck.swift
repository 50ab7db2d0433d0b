import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

/// Checks a driver before the suite runs: whether it can be greeted and launches its app.
package struct DriverCheck: Sendable {
    private let source: any DriverSource
    private let host: String
    private let timeScale: Double
    private let limit = Timeouts().driver

    /// The app must be able to reach `host`, an address of this machine.
    package init(_ source: any DriverSource, host: String, timeScale: Double) {
        (self.source, self.host, self.timeScale) = (source, host, timeScale)
    }

    /// Greets the driver, launches the app against a server that refuses all connections, and asks for its state.
    /// - Throws: The reason why nothing can be tested; `invalidCommand` and `noServer` are faults of the suite.
    package func run() async throws(DriverProblem) -> DriverGreeting {
        let folder: DataFolder
        do {
            folder = try DataFolder.temporary()
        } catch {
            throw DriverProblem(.noServer(reason: error.what), at: host)
        }
        defer { folder.remove() }
        let server: TransportServer
        do {
            server = try await TransportServer.start(host: host, handler: ClosedServer())
        } catch {
            throw DriverProblem(.noServer(reason: error.words.what), at: host)
        }
        return try await finally({ await server.stop(graceful: .zero) }) { () async throws(DriverProblem) in
            try await tryOut(server, folder.path)
        }
    }

    private func tryOut(_ server: TransportServer, _ folder: String) async throws(DriverProblem) -> DriverGreeting {
        let link = try await source.open(data: folder, timeScale: timeScale)
        let launch: JSONObject = [
            "do": "launch", "url": .string(server.webSocketURL("/ws")), "http": .string(server.httpURL("")),
            "token": "nobody", "timeScale": JSONValue(timeScale), "fresh": true,
        ]
        return try await finally(link.end) { () async throws(DriverProblem) in
            try await carryOut(launch, link)
            try await carryOut(["do": "state"], link)
            return link.greeting
        }
    }

    private func carryOut(_ command: JSONObject, _ link: any DriverLink) async throws(DriverProblem) {
        let reply = try await link.perform(command, within: limit)
        switch reply {
        case .done: return
        case .unsupported(let reason), .failed(let reason):
            throw DriverProblem(
                .refused(reason: reason), at: link.greeting.name, command: command["do"]?.stringValue)
        }
    }
}

private struct ClosedServer: TransportHandler {
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        .json(#"{"error":"The suite looks at the driver only.","code":"internal"}"#, status: 503)
    }

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { .refuse(status: 503, body: "") }
}
