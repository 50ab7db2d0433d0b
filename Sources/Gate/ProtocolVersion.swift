/// A version of the specification: `major.minor`, or `major.minor.patch`.
package struct ProtocolVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Rises with a breaking change.
    let major: Int
    /// Rises when something is added.
    let minor: Int
    /// Rises when only words change; nil if versions have two numbers.
    let patch: Int?

    /// Reads two or three numbers separated by full stops; nil for anything else, including leading zeros.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count, (2...3).contains(numbers.count),
            numbers.map(String.init).joined(separator: ".") == text
        else { return nil }
        major = numbers[0]
        minor = numbers[1]
        patch = numbers.count == 3 ? numbers[2] : nil
    }

    package var description: String { "\(major).\(minor)" + (patch.map { ".\($0)" } ?? "") }

    /// By number, not by text; a missing patch is 0.
    package static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool {
        (left.major, left.minor, left.patch ?? 0) < (right.major, right.minor, right.patch ?? 0)
    }

    /// The bump from an older version to this one; none if it is the same or lower.
    func bump(from old: ProtocolVersion) -> Bump {
        if self <= old { return .none }
        if major > old.major { return .major }
        return minor > old.minor ? .minor : .patch
    }

    /// The lowest version with such a bump; nil if two numbers cannot express it.
    func bumped(by bump: Bump) -> String? {
        switch bump {
        case .none: nil
        case .patch: patch.map { "\(major).\(minor).\($0 + 1)" }
        case .minor: "\(major).\(minor + 1)" + (patch == nil ? "" : ".0")
        case .major: "\(major + 1).0" + (patch == nil ? "" : ".0")
        }
    }
}

/// The part of a version that must rise, or rose.
package enum Bump: Int, Sendable, Hashable, Comparable, CaseIterable {
    case none, patch, minor, major

    /// From nothing to a new major version.
    package static func < (left: Bump, right: Bump) -> Bool { left.rawValue < right.rawValue }

    package var name: String { "\(self)" }
}
