import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastSmallFoundation

/// Renews a principal's credential when it may have expired.
package final class TokenSource: Sendable, Equatable {
    private struct State {
        var token: String?
        var askedAt: ContinuousClock.Instant?
        /// The time and reason of the last failure since a credential was received.
        var failure: (at: ContinuousClock.Instant, problem: TokenProblem)?
    }

    /// The time for which a credential without a known expiry is used.
    private static let lifetime = Duration.seconds(60)
    /// The seconds before its expiry in which a credential is no longer used, so that it outlasts the scenario.
    private static let margin = 60.0
    /// The time for which a failure is remembered, so that not every scenario tries again.
    private static let pause = Duration.seconds(20)

    private let ask: @Sendable () async throws -> String
    private let state = Mutex(State())

    package init(asking ask: @escaping @Sendable () async throws -> String) { self.ask = ask }

    package func renewed() async throws -> String {
        let token = try await ask()
        state.withLock { $0 = State(token: token, askedAt: .now) }
        return token
    }

    /// The credential to use now.
    /// - Throws: The reason why there is none: the last one has or may have expired, and there is no new one.
    func current() async throws(TokenProblem) -> String {
        let known = state.withLock { $0 }
        if let token = known.token, let askedAt = known.askedAt {
            let end = Self.expiry(of: token)
            let isFresh =
                end.map { $0 - Date.now.timeIntervalSince1970 > Self.margin } ?? (.now - askedAt < Self.lifetime)
            if isFresh { return token }
        }
        if let failure = known.failure, .now - failure.at < Self.pause { throw failure.problem }
        do {
            return try await renewed()
        } catch {
            let words = (error as? InputProblem).map { "\($0.location): \($0.what)" }
            let problem = TokenProblem(description: words ?? "\(error)")
            if !Task.isCancelled { state.withLock { $0.failure = (.now, problem) } }
            throw problem
        }
    }

    /// The expiry of a JSON Web Token (`exp`, RFC 7519, section 4.1.4), in seconds since 1970; nil for others.
    static func expiry(of token: String) -> Double? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        guard let bytes = Data(base64Encoded: text),
            let claims = try? JSONParser.document(String(decoding: bytes, as: UTF8.self)).root
        else { return nil }
        return claims["exp"]?.doubleValue
    }

    package static func == (left: TokenSource, right: TokenSource) -> Bool { left === right }
}

struct TokenProblem: Error, CustomStringConvertible {
    let description: String
}

extension [SubjectPrincipal] {
    /// The same principals with credentials that have not expired.
    /// - Throws: The reason why one of them has none; a credential that may have expired is never sent.
    func refreshed() async throws(TokenProblem) -> [SubjectPrincipal] {
        var people = self
        for index in people.indices {
            if let source = people[index].source { people[index].token = try await source.current() }
        }
        return people
    }
}
