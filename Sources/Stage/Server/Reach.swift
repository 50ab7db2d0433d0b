import Basics
import Transport

extension ServerSubject {
    /// Makes sure that something takes connections at the address, with three attempts within two seconds.
    ///
    /// Without an upgrade nothing can be tested, so a server that never answers one is not reached. One that ends the
    /// connection or says something that is no answer is: the scenarios tell what it does.
    /// - Throws: A problem whose `isUnreachable` is true.
    package func reach() async throws(HarnessProblem) {
        let attempts = 3
        let began = ContinuousClock.now
        let end = began + .seconds(2)
        for attempt in 1...attempts {
            do {
                let connection = try await HTTPConnection.open(
                    webSocket.httpBase, tls: tls, timeout: end - .now)
                connection.cut(.fin)
                return try await upgrade(within: timeouts.connect)
            } catch let problem as HarnessProblem {
                throw problem
            } catch let problem as TransportProblem {
                let mayMend = problem.code == .connectionRefused || problem.code == .unreachable
                if mayMend, attempt < attempts, !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(600), clock: .continuous)
                    continue
                }
                if webSocket.scheme.isSecure, !mayMend, await speaksInTheClear() {
                    throw HarnessProblem(
                        .wrongScheme(speaksTLS: false, better: with(.ws).place), at: webSocket.place)
                }
                if case .tls(let reason) = problem.code {
                    throw HarnessProblem(.tlsFailed(reason: reason), at: webSocket.place)
                }
                throw HarnessProblem(
                    .unreachable(
                        reason: Self.reason(problem), attempts: attempt,
                        milliseconds: (.now - began).milliseconds, path: webSocket.path),
                    at: webSocket.place)
            } catch {
                return
            }
        }
    }

    private func upgrade(within limit: Duration) async throws(HarnessProblem) {
        do {
            let asked = upgrade(token: principals.first?.token)
            let connection = try await WebSocketConnection.open(
                asked.endpoint, headers: asked.headers, tls: tls, timeout: limit)
            await connection.close(code: 1000, timeout: .milliseconds(250))
        } catch {
            // A server behind TLS turns cleartext away in ways of its own: a status, an alert, the end, or silence.
            if !webSocket.scheme.isSecure, await speaksTLS() {
                throw HarnessProblem(
                    .wrongScheme(speaksTLS: true, better: with(.wss).place), at: webSocket.place)
            }
            switch error.code {
            case .upgradeRefused(let status, _):
                throw HarnessProblem(.upgradeRefused(status: status, path: webSocket.path), at: webSocket.place)
            case .late:
                throw HarnessProblem(
                    .noUpgrade(milliseconds: limit.milliseconds, path: webSocket.path), at: webSocket.place)
            default: return
            }
        }
    }

    /// How long a second look at the port may take.
    private static let secondLook = Duration.seconds(2)

    private func with(_ scheme: Endpoint.Scheme) -> Endpoint {
        var endpoint = webSocket.at(webSocket.path)
        endpoint.scheme = scheme
        return endpoint
    }

    private func speaksTLS() async -> Bool {
        guard
            let connection = try? await HTTPConnection.open(
                with(.wss).httpBase, tls: TLSOptions(acceptAnyCertificate: true), timeout: Self.secondLook)
        else { return false }
        connection.cut(.fin)
        return true
    }

    /// Whether the port answers upgrades without TLS.
    ///
    /// The question goes without credentials, which nobody meant to send in
    /// the clear.
    private func speaksInTheClear() async -> Bool {
        do {
            let connection = try await WebSocketConnection.open(with(.ws), timeout: Self.secondLook)
            await connection.close(code: 1000, timeout: .milliseconds(250))
            return true
        } catch {
            if case .upgradeRefused = error.code { return true }
            return false
        }
    }

    private static func reason(_ problem: TransportProblem) -> String {
        switch problem.code {
        case .connectionRefused: "connection refused"
        case .unreachable: "no way to the host"
        case .late: "no answer"
        default: problem.name
        }
    }
}
