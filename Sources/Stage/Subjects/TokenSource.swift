import Holdfast
import JSON
import SmallFoundation
import Synchronization

/// Asks for the credential of a principal anew when it may have expired.
package final class TokenSource: Sendable, Equatable {
    private struct State {
        var token: String?
        var askedAt: ContinuousClock.Instant?
    }

    /// For how long a credential is used that does not tell when it expires.
    private static let usual = Duration.seconds(60)
    /// How long before its end a credential is used no more: a scenario that begins then has to end with it.
    private static let margin = 60.0

    private let ask: @Sendable () async throws -> String
    private let state = Mutex(State())

    /// Takes credentials from a function, whose failures leave the last one in use.
    package init(asking ask: @escaping @Sendable () async throws -> String) { self.ask = ask }

    /// Asks for the credential.
    package func asked() async throws -> String {
        let token = try await ask()
        state.withLock { $0 = State(token: token, askedAt: .now) }
        return token
    }

    /// The credential to use now; nil while none was given.
    func current() async -> String? {
        let known = state.withLock { $0 }
        if let token = known.token, let askedAt = known.askedAt {
            let end = Self.expiry(of: token)
            let isFresh =
                end.map { $0 - Date.now.timeIntervalSince1970 > Self.margin } ?? (.now - askedAt < Self.usual)
            if isFresh { return token }
        }
        return (try? await asked()) ?? known.token
    }

    /// When a JSON Web Token expires (`exp`, RFC 7519, section 4.1.4), in seconds since 1970; nil of any other credential.
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

extension [SubjectPrincipal] {
    /// The same people with credentials that have not expired.
    func refreshed() async -> [SubjectPrincipal] {
        var people = self
        for index in people.indices {
            if let token = await people[index].source?.current() { people[index].token = token }
        }
        return people
    }
}
