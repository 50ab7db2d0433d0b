import Holdfast
import Stage
import Transport

/// What a dialect says about a server to test.
extension Dialect {
    /// What a server is taken to declare when nobody says: all that a system of this dialect can.
    var usualProfiles: Set<Profile> {
        isCanonical ? [.core] : profiles.intersection(Profile.all(of: .server))
    }

    /// The address with the path of this dialect, where it has none of its own.
    func address(of url: String) -> String {
        guard let socketPath else { return url }
        if url == StartCommand.usualURL { return url.replacing("/ws", with: socketPath) }
        guard let endpoint = try? Endpoint(url.replacing("{port}", with: "1")), endpoint.target == "/" else {
            return url
        }
        return (url.hasSuffix("/") ? String(url.dropLast()) : url) + socketPath
    }

    /// Declared profiles that no system of this dialect can keep, because its wire cannot say what they ask for.
    func problems(declaring declared: Set<Profile>, given place: String) -> [InputProblem] {
        declared.subtracting(profiles).sorted().map { profile in
            InputProblem(
                place: place, what: "no server of the dialect '\(name)' can declare '\(profile.rawValue)'",
                expected: profiles.sorted().map(\.rawValue).joined(separator: ", "), fix: "leave it out")
        }
    }
}
