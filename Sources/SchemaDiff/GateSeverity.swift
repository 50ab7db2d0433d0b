/// How much a finding weighs.
package enum GateSeverity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Nobody breaks; said so that nobody wonders.
    case information
    /// Somebody may break who relied on more than was promised.
    case warning
    /// A peer that kept the old version, or keeps the new one, breaks.
    case error

    /// The lighter one is smaller.
    package static func < (left: GateSeverity, right: GateSeverity) -> Bool {
        left.weight < right.weight
    }

    private var weight: Int {
        switch self {
        case .information: 0
        case .warning: 1
        case .error: 2
        }
    }
}
