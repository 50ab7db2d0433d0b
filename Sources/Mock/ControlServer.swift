import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTransport

/// The control port of a mock server: a page for people, and an API for programs.
///
/// It listens on the loopback address only and refuses pages of other sites (``ControlFence``).
package final class ControlServer: Sendable {
    private static let limits = ServerLimits(
        maxBodyBytes: 1 << 20, maxHeldBytes: 8 << 20, maxConnections: 64, requestTimeout: .seconds(30))
    private static let maxFramesAtOnce = 200

    private let mock: MockServer
    /// Known once the server listens.
    private let port = Mutex<Int?>(nil)

    private init(_ mock: MockServer) { self.mock = mock }

    package static func open(_ mock: MockServer, host: String, port: Int) async throws(TransportProblem)
        -> TransportServer
    {
        let control = ControlServer(mock)
        let server = try await TransportServer.start(host: host, port: port, limits: limits, handler: control)
        control.port.withLock { $0 = server.port }
        return server
    }
}

extension ControlServer: TransportHandler {
    package func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision {
        .refuse(status: 404, body: #"{"error":"there is no WebSocket here"}"#)
    }

    package func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        var response = await answer(request)
        response.headers += [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"),
        ]
        return response
    }

    private func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        guard let port = port.withLock({ $0 }) else { return Self.refusal(503, "not ready yet") }
        if let reason = ControlFence.refusal(of: request, port: port) { return Self.refusal(403, reason) }
        switch (request.method, request.path) {
        case ("GET", "/"): return ControlPage.response()
        case ("GET", "/control"): return Self.json(["actions": .array(Self.actions), "state": "/control/state"])
        case ("GET", "/control/state"): return await state(request.query)
        case ("POST", _) where request.path.hasPrefix("/control/"):
            return await perform(String(request.path.dropFirst("/control/".count)), request.body)
        case (_, "/"), (_, "/control"), (_, "/control/state"): return Self.refusal(405, "only GET is allowed here")
        case (_, _) where request.path.hasPrefix("/control/"): return Self.refusal(405, "an action needs POST")
        default: return Self.refusal(404, "not found; see GET /control")
        }
    }

    private static let actions = ControlAction.allCases.map { action -> JSONValue in
        [
            "name": .string(action.rawValue), "path": .string("/control/\(action.rawValue)"),
            "does": .string(action.summary),
        ]
    }

    private func state(_ query: String?) async -> HTTPServerResponse {
        var after = 0
        for pair in (query ?? "").split(separator: "&") {
            guard pair.hasPrefix("after="), let number = Int(pair.dropFirst("after=".count)), number >= 0 else {
                return Self.refusal(400, "the query may be 'after=N', the number of the last frame seen")
            }
            after = number
        }
        return Self.json(await mock.state(framesAfter: after, atMost: Self.maxFramesAtOnce))
    }

    private func perform(_ name: String, _ body: [UInt8]) async -> HTTPServerResponse {
        let names = ControlAction.allCases.map(\.rawValue)
        guard let action = ControlAction(rawValue: name) else {
            let near = nearestName(to: String(name.prefix(60)), among: names)
            return Self.refusal(
                404, "unknown action '\(name.prefix(60))'",
                [
                    ("expected", .string(names.joined(separator: ", "))),
                    ("fix", .string(near.map { "did you mean '\($0)'?" } ?? "see GET /control")),
                ])
        }
        do {
            var answer: JSONValue = ["ok": true]
            for (key, value) in try await action.perform(try Self.value(of: body), on: mock).objectValue ?? [:] {
                answer[key] = value
            }
            return Self.json(answer)
        } catch let problems as InputProblems {
            return Self.refusal(problems.problems)
        } catch let problem as InputProblem {
            return Self.refusal([problem])
        } catch {
            return Self.refusal(500, "\(error)")
        }
    }

    private static func value(of body: [UInt8]) throws(InputProblem) -> JSONValue {
        do {
            return body.isEmpty ? [:] : try JSONParser.document(bytes: body, limits: JSONLimits(maxDepth: 64)).root
        } catch {
            throw InputProblem(error, in: "body", expected: "a JSON object")
        }
    }

    // MARK: answers

    private static func json(_ value: JSONValue, status: Int = 200) -> HTTPServerResponse {
        .json(value.text(), status: status)
    }

    private static func refusal(_ problems: [InputProblem]) -> HTTPServerResponse {
        let list = problems.map { problem -> JSONValue in
            [
                "place": .string(problem.location), "what": .string(problem.what),
                "expected": .string(problem.expected), "fix": .string(problem.fix),
            ]
        }
        let isDown = problems.first?.location == "server"
        return refusal(
            isDown ? 409 : 400, problems.map { "\($0.location): \($0.what)" }.joined(separator: "; "),
            [("problems", .array(list))])
    }

    private static func refusal(
        _ status: Int, _ text: String, _ more: [(key: String, value: JSONValue)] = []
    ) -> HTTPServerResponse {
        json(.object(JSONObject([(key: "error", value: .string(text))] + more)), status: status)
    }
}

/// The page of the control port: one document that loads nothing else.
///
/// Text from peers is inserted as text, never as markup, and the policy permits only the page's own script.
enum ControlPage {
    static func response() -> HTTPServerResponse {
        var generator = SystemRandomNumberGenerator()
        let nonce = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return HTTPServerResponse(
            headers: [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)],
            body: Array(document.replacing("NONCE", with: nonce).utf8))
    }

    private static let document = Resources.controlHTML.replacing("STYLE", with: Resources.controlCSS)
        .replacing("SCRIPT", with: Resources.controlJS)
}

/// Refuses everything on a control port except programs and pages of this machine.
///
/// The port listens on the loopback address only, but any web page in a local browser can send requests there. So the
/// `Host` must be a loopback name (a page whose own name resolves to 127.0.0.1 sends that name), and actions must come
/// from a page of this port or from no page; browsers report that in `Origin` and `Sec-Fetch-Site`.
enum ControlFence {
    /// The reason why a request is refused; nil if it is accepted.
    static func refusal(of request: HTTPServerRequest, port: Int) -> String? {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
        let named = request.headers.filter { $0.0.lowercased() == "host" }.map { $0.1.lowercased() }
        guard named.count == 1, hosts.contains(named[0]) else {
            return "'Host' must be one of \(hosts.joined(separator: ", "))"
        }
        for (name, value) in request.headers {
            switch name.lowercased() {
            case "origin":
                guard value.lowercased() == "http://\(named[0])" else {
                    return "requests from other pages are not allowed"
                }
            case "sec-fetch-site":
                // `none` means a typed address, which can only read.
                guard ["same-origin", "none"].contains(value.lowercased()) else {
                    return "requests from other pages are not allowed"
                }
            default: continue
            }
        }
        guard request.method == "POST", !request.body.isEmpty else { return nil }
        let type = request.header("Content-Type")?.prefix { $0 != ";" }.lowercased()
        return type == "application/json" ? nil : "a body must have 'Content-Type: application/json'"
    }
}
