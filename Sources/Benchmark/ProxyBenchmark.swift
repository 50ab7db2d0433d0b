import Foundation
import Holdfast
import HoldfastProxy
import HoldfastTranscript
import HoldfastTransport

/// Measures the cost of a proxy that records and judges: the same work directly and through it, in turns.
enum ProxyBenchmark {
    private struct Echo: TransportHandler {
        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse { .json(#"{"ok":true}"#) }
        func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { .accept }
        func serve(_ socket: ServerSocket) async {
            for await arrival in socket.messages {
                if case .text(let text) = arrival.event { try? await socket.send(text: text) }
            }
        }
    }

    private struct Measured {
        var messages: [Double] = []
        var megabytes: [Double] = []
        var latencies: [Double] = []
    }

    static func run() async throws {
        let server = try await TransportServer.start(handler: Echo())
        let file = FileManager.default.temporaryDirectory.appending(path: "proxy-\(UUID().uuidString).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var options = Proxy.Options(
            upstream: try Endpoint(server.webSocketURL()),
            subject: History.Subject(name: "echo", role: .server, profiles: [.core], hasScriptedAgent: false))
        options.transcript = file
        let specification = try Specification(.embedded)
        let proxy = try await Proxy(options, under: specification, note: { _ in }, notify: { _ in })
        let routes = [("direct", server.webSocketURL()), ("proxied", "ws://127.0.0.1:\(proxy.port)/ws")]
        var results: [String: Measured] = [:]
        // The two take turns, so that a machine that slows down slows both.
        for _ in 0..<3 {
            for (name, url) in routes {
                let socket = try await WebSocketConnection.open(
                    Endpoint(url), limits: WebSocketLimits(maxReceivedBytes: nil))
                results[name, default: Measured()].messages.append(try await rate(socket, count: 10_000, bytes: 200))
                results[name]?.megabytes.append(try await rate(socket, count: 100, bytes: 1 << 20) * 1.048576)
                results[name]?.latencies += try await latencies(socket, count: 2000)
                await socket.close()
            }
        }
        await proxy.stop()
        await server.stop()
        print("an echo over one WebSocket, both ways counted once; the proxy writes a transcript and judges")
        print("                                   direct     proxied   ratio")
        guard let direct = results["direct"], let proxied = results["proxied"] else { return }
        row("messages of 200 B, per second", direct, proxied) { Stopwatch.median($0.messages) }
        row("messages of 1 MiB, MB/s", direct, proxied) { Stopwatch.median($0.megabytes) }
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            row("round trip, \(name), microseconds", direct, proxied) { Stopwatch.quantile($0.latencies, part) }
        }
    }

    /// Messages per second, with at most 64 under way, or 4 large ones.
    private static func rate(_ socket: WebSocketConnection, count: Int, bytes: Int) async throws -> Double {
        let text = #"{"type":"ping","nonce":""# + String(repeating: "x", count: bytes - 26) + #""}"#
        let start = ContinuousClock.now
        var sent = 0
        var received = 0
        let maxPending = bytes > 100_000 ? 4 : 64
        while received < count {
            while sent < count, sent - received < maxPending {
                try await socket.send(text: text)
                sent += 1
            }
            guard let arrival = try await socket.next(within: .seconds(60), "echo") else { throw CancellationError() }
            if case .text = arrival.event { received += 1 }
        }
        return Double(count) / seconds(ContinuousClock.now - start)
    }

    private static func latencies(_ socket: WebSocketConnection, count: Int) async throws -> [Double] {
        var all: [Double] = []
        for index in 0..<count {
            let start = ContinuousClock.now
            try await socket.send(text: #"{"type":"ping","nonce":"\#(index)"}"#)
            guard let arrival = await socket.next() else { throw CancellationError() }
            all.append(seconds(arrival.at - start) * 1e6)
        }
        return all
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func row(_ name: String, _ one: Measured, _ other: Measured, _ value: (Measured) -> Double) {
        let (direct, proxied) = (value(one), value(other))
        print(
            name.padding(toLength: 30, withPad: " ", startingAt: 0),
            String(format: "%10.0f  %10.0f  %6.2f", direct, proxied, proxied / direct))
    }
}
