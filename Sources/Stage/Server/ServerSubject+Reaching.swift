import HoldfastBasics
import HoldfastTransport

extension ServerSubject {
    /// Makes sure that something accepts connections at the address, with three attempts within two seconds.
    ///
    /// Without an upgrade nothing can be tested. So a server is unreachable if it never answers an upgrade, ends each
    /// connection that asks for one, or does not speak HTTP. Any HTTP answer is left to the scenarios.
    /// - Throws: A problem whose `isUnreachable` is true.
    package func reach() async throws(HarnessProblem) {
        if let notReached { throw notReached }
        let attempts = 3
        let pause = Duration.milliseconds(600)
        let began = ContinuousClock.now
        let end = began + .seconds(2)
        for attempt in 1...attempts {
            do throws(HarnessProblem) {
                return try await reach(Attempt(number: attempt, began: began, end: end))
            } catch {
                // An attempt without any time left would report a timeout and hide this error.
                guard error.canRetryNow, attempt < attempts, .now + pause < end, !Task.isCancelled else {
                    throw error
                }
                try? await Task.sleep(for: pause, clock: .continuous)
            }
        }
    }

    /// The same server, once it accepts connections or this much time has passed; for zero, like ``reach()``.
    ///
    /// A gateway may answer for a server that is still starting, so this waits despite refusals. ``reach()`` reports a
    /// permanent obstacle.
    package func awaited(for limit: Duration) async -> ServerSubject {
        var subject = self
        guard limit > .zero else {
            do throws(HarnessProblem) { try await reach() } catch { subject.notReached = error }
            return subject
        }
        let began = ContinuousClock.now
        let end = began + limit
        var number = 0
        repeat {
            number += 1
            do throws(HarnessProblem) {
                try await reach(Attempt(number: number, began: began, end: end, isWait: true))
                return self
            } catch {
                subject.notReached = error
                guard error.canRetryLater else { break }
            }
            try? await Task.sleep(for: min(Duration.milliseconds(200), end - .now), clock: .continuous)
        } while ContinuousClock.now < end && !Task.isCancelled
        return subject
    }

    /// A human-readable line about the wait before a run; nil if there is nothing to show.
    ///
    /// A command without {port} is the usual cause of an endless wait, so the line says so even if progress is hidden.
    package func waitLine(for seconds: Int, isTerminal: Bool) -> String? {
        guard let start else {
            return isTerminal && seconds > 0 ? "waiting up to \(seconds) s for \(webSocket.address)" : nil
        }
        let line = "starting the server; waiting up to \(Int(timeouts.start / .seconds(1))) s for a connection"
        guard start.ignoresPort else { return isTerminal ? line : nil }
        return line + "\nthe start command has no {port}, so the server must listen on the port in HOLDFAST_PORT"
    }

    private struct Attempt {
        let number: Int
        let began: ContinuousClock.Instant
        let end: ContinuousClock.Instant
        /// Whether the deadline includes the upgrade; otherwise the upgrade may take as long as in scenarios.
        var isWait = false

        func left(atMost limit: Duration = .seconds(86_400)) -> Duration { max(.zero, min(limit, end - .now)) }
    }

    private func reach(_ attempt: Attempt) async throws(HarnessProblem) {
        do throws(TransportProblem) {
            let connection = try await HTTPConnection(
                to: webSocket.httpBase, tls: tls, timeout: attempt.left(atMost: .seconds(10)))
            connection.cut(.fin)
        } catch {
            let mayRecover = error.code == .connectionRefused || error.code == .unreachable
            if webSocket.scheme.isSecure, !mayRecover, error.code != .noTLS, await speaksInTheClear() {
                throw HarnessProblem(.wrongScheme(speaksTLS: false, better: with(.ws).address), at: webSocket.address)
            }
            if case .tls(let reason) = error.code { throw tlsProblem(reason) }
            // A server that resets at once may do so before or after the connection is known here.
            if [.closed, .reset].contains(error.code) {
                throw webSocket.scheme.isSecure
                    ? tlsProblem(TLSWords.endsWithoutReason)
                    : HarnessProblem(.upgradeCut(path: webSocket.path), at: webSocket.address)
            }
            throw HarnessProblem(
                .unreachable(
                    error.code, attempts: attempt.number,
                    milliseconds: (.now - attempt.began).milliseconds, path: webSocket.path), at: webSocket.address)
        }
        try await upgrade(within: attempt.isWait ? attempt.left(atMost: timeouts.connect) : timeouts.connect)
    }

    private func tlsProblem(_ reason: String) -> HarnessProblem {
        let isAboutClient = TLSWords.isAboutClient(reason)
        return HarnessProblem(
            isAboutClient
                ? .certificateRefused(reason: reason, wasShown: tls.identity != nil) : .tlsFailed(reason: reason),
            at: webSocket.address)
    }

    private func upgrade(within limit: Duration) async throws(HarnessProblem) {
        do {
            let asked = upgrade(token: principals.first?.token)
            let connection = try await WebSocketConnection.open(
                asked.endpoint, headers: asked.headers, tls: tls, timeout: limit)
            await connection.close(code: 1000, timeout: .milliseconds(250))
        } catch {
            // A TLS server rejects cleartext in its own way: with a status, an alert, an end, or silence.
            if !webSocket.scheme.isSecure, await TLSProbe.findsTLS(at: webSocket, within: Self.secondLook) {
                throw HarnessProblem(
                    .wrongScheme(speaksTLS: true, better: with(.wss).address), at: webSocket.address)
            }
            switch error.code {
            // Since TLS 1.3, a server notices a missing client certificate only after the handshake.
            case .tls(let reason): throw tlsProblem(reason)
            case .upgradeRefused(_, let body) where body.lowercased().contains("ssl certificate"):
                throw tlsProblem(TLSWords.wantsCertificate)
            case .upgradeRefused(let status, _):
                throw HarnessProblem(.upgradeRefused(status: status, path: webSocket.path), at: webSocket.address)
            case .late:
                throw HarnessProblem(
                    .noUpgrade(milliseconds: limit.milliseconds, path: webSocket.path), at: webSocket.address)
            case .closed, .reset: throw HarnessProblem(.upgradeCut(path: webSocket.path), at: webSocket.address)
            case .protocolError: throw HarnessProblem(.notHTTP(path: webSocket.path), at: webSocket.address)
            default: return
            }
        }
    }

    private static let secondLook = Duration.seconds(2)

    private func with(_ scheme: Endpoint.Scheme) -> Endpoint {
        var endpoint = webSocket.at(webSocket.path)
        endpoint.scheme = scheme
        return endpoint
    }

    /// Whether the port answers upgrades without TLS.
    ///
    /// The request has no credentials, so that none are sent in the clear.
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
}
