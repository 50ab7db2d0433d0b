import Holdfast
import HoldfastPlatform
import HoldfastStage
import HoldfastTransport

extension Specification {
    /// A dialect by its name, or by the path of its file.
    ///
    /// * `location`: The place of the name, such as `--dialect`.
    /// * `folder`: The base of a relative path; nil for the current folder.
    package func dialect(_ text: String, given location: String, in folder: String? = nil) throws -> Dialect {
        guard text.contains("/") || text.hasSuffix(".json") else {
            do {
                return try dialect(named: text)
            } catch {
                guard !dialectNames.contains(text) else { throw error }
                let file = "./\(text).json"
                let isFile = folder == nil && (try? FileStatus(of: file))?.kind == .regular
                throw InputProblems(
                    error.problems.map {
                        InputProblem(
                            location, $0.what, expected: $0.expected,
                            fix: isFile ? "did you mean \(location) \(file)?" : $0.fix)
                    })
            }
        }
        let path = folder.map { text.hasPrefix("/") ? text : "\($0)/\(text)" } ?? text
        return try Dialect(Files.text(of: path), file: path)
    }
}

extension Dialect {
    /// The default profiles: all that the dialect supports for a server, but only the base in the canonical form.
    package func defaultProfiles(of role: Role = .server) -> Set<Profile> {
        let supported = isCanonical || role == .client ? [] : profiles.intersection(Profile.all(of: role))
        return supported.union([Profile.base(of: role)])
    }

    /// The address with the path of this dialect, if it has no path of its own.
    func address(of url: String) -> String {
        guard let socketPath else { return url }
        if url == StartCommand.defaultURL { return url.replacing("/ws", with: socketPath) }
        guard let endpoint = try? Endpoint(url.replacing("{port}", with: "1")), endpoint.target == "/" else {
            return url
        }
        return (url.hasSuffix("/") ? String(url.dropLast()) : url) + socketPath
    }

    /// The profiles that a side can declare: a client can declare `client-sync` only if a server can declare `sync`.
    func profiles(of role: Role) -> Set<Profile> {
        guard role == .client else { return profiles }
        return Profile.all(of: .client).subtracting(profiles.contains(.sync) ? [] : [.clientSync])
    }

    /// Problems for declared profiles that the wire format of this dialect cannot express.
    package func problems(
        declaring declared: Set<Profile>, of role: Role = .server, given location: String
    ) -> [InputProblem] {
        declared.subtracting(profiles(of: role)).sorted().map { profile in
            InputProblem(
                location, "no \(role) of the dialect '\(name)' can declare '\(profile.rawValue)'",
                expected: profiles(of: role).sorted().map(\.rawValue).joined(separator: ", "), fix: "remove it")
        }
    }
}

extension SubjectFile {
    package init(file path: String) throws { try self.init(Files.text(of: path), file: path) }
}

extension Profile {
    /// The profiles with the given names, and the core profile that they require.
    package static func declared(
        named names: [String], of role: Role = .server, _ problems: inout [InputProblem]
    ) -> Set<Profile> {
        profiles(named: names, of: role, &problems).union([role == .server ? .core : .clientCore])
    }

    /// The profiles of a side with the given names, each of which may be a list with commas.
    package static func profiles(
        named names: [String], of role: Role = .server, _ problems: inout [InputProblem]
    ) -> Set<Profile> {
        let known = all(of: role)
        let names = names.flatMap { $0.split(separator: ",").map(String.init) }
        problems += InputProblem.unknown(
            names, "profile", given: "--profile", among: known.map(\.rawValue).sorted(), otherwise: "name one of these")
        return Set(names.compactMap(Profile.init(rawValue:)).filter(known.contains))
    }
}

extension InputProblem {
    package static func unknown(
        _ names: [String], _ noun: String = "name", given location: String, among known: [String],
        expected: String? = nil, otherwise fix: String
    ) -> [InputProblem] {
        names.filter { !known.contains($0) }.map { name in
            InputProblem(
                location, "unknown \(noun) '\(name)'", insteadOf: name, among: known, expected: expected, otherwise: fix
            )
        }
    }
}
