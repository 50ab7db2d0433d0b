import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct ProxyTests {
    /// Runs a server with a proxy before it, gives the body the proxy's port, and ends both.
    func proxied(
        _ arguments: [String] = [], serving: [String] = [], in folder: TemporaryDirectory, by starter: [String] = [],
        _ body: @escaping @Sendable (_ server: Serving, _ port: Int) async throws -> Void
    ) async throws -> BuiltBinary.Output {
        let (proxy, server) = try await Serving.run(serving, in: folder, by: starter) { server in
            // The proxy is told a port that was free a moment ago, because what it prints is read only at its end.
            let free = try await RawListener.start { _ in }
            let port = free.port
            await free.stop()
            let all = ["proxy", "--listen", "127.0.0.1:\(port)", "--upstream", try server.url()] + arguments
            let (_, output) = try await BuiltBinary.run(all, by: starter) { _ in
                try await Self.answers(port)
                try await body(server, port)
            }
            return output
        }
        #expect(server.status == 0, "\(server.err)")
        return proxy
    }

    private static func answers(_ port: Int) async throws {
        for attempt in 0... {
            if let connection = try? await RawConnection.open(port: port) { return connection.cut(.fin) }
            if attempt == 1200 { throw NeverListened() }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private struct NeverListened: Error {}

    @Test func `the suite finds through the proxy what it finds without, and the proxy finds nothing else`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let transcript = folder.path + "/t.ndjson"
        let output = try await proxied(["--out", transcript, "--profile", "core,sync"], in: folder) {
            server, port in
            let through = try server.subjectFile(behind: port, in: folder)
            var tables: [[String]] = []
            for file in [server.subjectFile, through] {
                let run = try await BuiltBinary.run([
                    "server", "--subject", file, "--only", "TURN-3", "--only", "SYNC-1", "--verbose",
                ])
                #expect(run.status == 0, "\(run.out)")
                tables.append(
                    run.out.split(separator: "\n").filter { $0.hasPrefix("pass") || $0.hasPrefix("violation") }
                        .map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
            }
            #expect(tables[0] == tables[1])
            #expect(!tables[0].isEmpty)
        }
        #expect(output.status == 0, "\(output.out)\n\(output.err)")
        #expect(output.out.contains("no violations; server clauses: "), "\(output.out)")
        #expect(output.out.contains("TURN-3"))
        let text = try String(contentsOfFile: transcript, encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.count > 20)
        for line in lines { _ = try JSONParser.value(String(line)) }
    }

    @Test func `a server's mistake is told while the proxy runs, and no token is`() async throws {
        let folder = try TemporaryDirectory()
        let transcript = folder.path + "/t.ndjson"
        let output = try await proxied(
            ["--out", transcript, "--profile", "core,sync"],
            serving: ["--defect", "turn-ends-twice", "--token", "p1=secret-of-p1"], in: folder
        ) { _, port in
            let socket = try await WebSocketConnection.open(Endpoint("ws://127.0.0.1:\(port)/ws"))
            try await socket.send(text: #"{"type":"auth","protocol":1,"token":"secret-of-p1"}"#)
            try await socket.send(
                text: #"{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":"hello"}]}"#)
            var endings = 0
            while endings < 2, let event = try await socket.next(within: .seconds(30), "done")?.event {
                if case .text(let text) = event, text.contains(#""done""#) { endings += 1 }
            }
            await socket.close()
        }
        #expect(output.status == 1, "\(output.out)\n\(output.err)")
        #expect(output.out.components(separatedBy: "violation TURN-3 ").count == 2, "once: \(output.out)")
        let text = try String(contentsOfFile: transcript, encoding: .utf8)
        #expect(!(text + output.out + output.err).contains("secret-of-p1"))
        #expect(text.contains("‹token of p1›"))
    }

    @Test func `a fault that never matched ends with 70, and nothing seen with 2`() async throws {
        let folder = try TemporaryDirectory()
        let idle = try await proxied([], in: folder) { _, _ in }
        #expect(idle.status == 2)
        #expect(idle.out.contains("no traffic"), "\(idle.out)")
        let armed = try await proxied(["--fault", "drop toolUse#2"], in: folder) { _, port in
            _ = try await HTTPExchange.perform(HTTPRequestSpec("GET", Endpoint("http://127.0.0.1:\(port)/api/health")))
        }
        #expect(armed.status == 70)
        #expect(armed.out.contains("the fault rule 'drop toolUse#2' matched nothing"), "\(armed.out)")
    }

    @Test func `a bad command line is refused with every problem`() async throws {
        let run = try await BuiltBinary.run([
            "proxy", "--listen", ":0", "--upstream", "ws://127.0.0.1:1", "--fault", "cutt before done", "--profile",
            "synk", "--tls-cert", "x.pem",
        ])
        #expect(run.status == 64)
        for words in [
            "'cutt' is not an action", "did you mean 'cut'?", "unknown profile 'synk'", "only one of the two",
        ] {
            #expect(run.err.contains(words), "\(run.err)")
        }
    }

    @Test func `a file without a certificate is told with its flag`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/x.pem"
        try "no certificate".write(toFile: file, atomically: true, encoding: .utf8)
        for (flags, words) in [
            (["--tls-cert", file, "--tls-key", file], "--tls-cert: \(file): TLS failed"),
            (["--ca", file], "--ca: '\(file)' contains no PEM certificate"),
            (["--ca", file + "x"], "\(file)x: cannot be read"),
        ] {
            let run = try await BuiltBinary.run(
                ["proxy", "--listen", ":0", "--for", "1", "--upstream", "wss://127.0.0.1:1"] + flags)
            #expect(run.status == 64)
            #expect(run.err.contains(words), "\(run.err)")
        }
    }

    @Test func `a server is judged by what its subject file says of it`() async throws {
        let folder = try TemporaryDirectory()
        let transcript = folder.path + "/t.ndjson"
        let subject = folder.path + "/s.json"
        try """
        {"name": "mine", "url": "ws://h/ws", "profiles": ["core", "auth"], "principals": [], "agent": "plain",
        "limits": {"authSeconds": 2}}
        """.write(toFile: subject, atomically: true, encoding: .utf8)
        let output = try await proxied(["--out", transcript, "--subject", subject], in: folder) { _, _ in }
        #expect(output.status == 2, "\(output.out)\(output.err)")
        let header = try String(contentsOfFile: transcript, encoding: .utf8).prefix { $0 != "\n" }
        let told = try JSONParser.value(String(header))["subject"]
        #expect(told?["name"]?.stringValue == "mine" && told?["limits"]?["authSeconds"]?.intValue == 2, "\(header)")
        #expect(told?["profiles"]?.arrayValue == ["core", "auth"], "\(header)")
        let client = try await BuiltBinary.run([
            "proxy", "--listen", ":0", "--upstream", "ws://127.0.0.1:1", "--subject", subject, "--role", "client",
        ])
        #expect(client.status == 64)
        #expect(client.err.contains("--subject: it describes a server, but the client is judged"))
    }
}
