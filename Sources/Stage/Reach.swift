import Transport

extension ServerSubject {
    /// Makes sure that something takes connections at the address, with three attempts within two seconds.
    ///
    /// A server that takes the connection and then falls silent, or says something that is no answer, counts as reached:
    /// the scenarios tell what it does.
    /// - Throws: A problem whose `isUnreachable` is true.
    public func reach() async throws(HarnessProblem) {
        let attempts = 3
        let began = ContinuousClock.now
        let end = began + .seconds(2)
        for attempt in 1...attempts {
            do {
                let connection = try await HTTPConnection.open(
                    webSocket.httpBase, tls: tls, timeout: end - .now)
                connection.cut(.fin)
                return try await upgrade(within: max(.milliseconds(250), end - .now))
            } catch let problem as HarnessProblem {
                throw problem
            } catch let problem as TransportProblem {
                let mayMend = problem.code == .connectionRefused || problem.code == .unreachable
                if mayMend, attempt < attempts, !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(600), clock: .continuous)
                    continue
                }
                throw HarnessProblem(
                    .unreachable(
                        reason: Self.reason(problem), attempts: attempt,
                        milliseconds: microseconds(.now - began) / 1000, path: webSocket.path),
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
            guard case .upgradeRefused(let status, _) = error.code else { return }
            throw HarnessProblem(.upgradeRefused(status: status, path: webSocket.path), at: webSocket.place)
        }
    }

    private static func reason(_ problem: TransportProblem) -> String {
        switch problem.code {
        case .connectionRefused: "connection refused"
        case .unreachable: "no way to the host"
        case .late: "no answer"
        case .tls(let reason): "TLS failed, \(reason)"
        default: problem.name
        }
    }
}
