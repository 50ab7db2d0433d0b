/// Compares the message schemas of two versions.
///
/// Schemas nest, and so does the search: compare foreign schemas on a deep stack.
///
/// * `old`: The version that peers have now; `new` is the one they will get.
/// - Returns: The findings, worst first, then by place; none if both accept the same messages and describe them alike.
package func compareSchemas(
    old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy = ComparisonPolicy()
) -> [GateFinding] {
    var comparison = SchemaComparison(old: old, new: new, policy: policy)
    return comparison.run()
}

extension GateFinding {
    /// Worst first, then by place, so that the same changes are always reported in the same order.
    static func comesFirst(_ left: GateFinding, _ right: GateFinding) -> Bool {
        if left.severity != right.severity { return left.severity > right.severity }
        func location(_ finding: GateFinding) -> (String, Int) {
            let location = finding.new ?? finding.old
            return (location?.file ?? "", location?.line ?? 0)
        }
        if location(left) != location(right) { return location(left) < location(right) }
        return (left.rule, left.direction?.rawValue ?? "", left.fingerprint)
            < (right.rule, right.direction?.rawValue ?? "", right.fingerprint)
    }
}

/// The promises of both versions about unknown parts.
package struct ComparisonPolicy: Sendable, Hashable {
    /// How readers treat members that a schema does not name.
    package enum UnknownMembers: String, Sendable, Hashable {
        /// As the schema says: open objects accept them, closed ones refuse them.
        case asWritten
        /// Readers ignore them, and writers send none: the reader's view is open, the writer's view is closed.
        case ignored
    }

    var unknownMembers: UnknownMembers
    /// Whether readers ignore messages of an unknown type.
    package var ignoresUnknownMessages: Bool
    /// Whether new clients must work with old servers too, and not only new servers with old clients.
    var meetsOldServers: Bool
    /// The steps that one question about one message may take before the answer is "not proven".
    var stepLimit: Int

    package init(
        unknownMembers: UnknownMembers = .asWritten, ignoresUnknownMessages: Bool = false,
        meetsOldServers: Bool = false, stepLimit: Int = 20_000
    ) {
        (self.unknownMembers, self.ignoresUnknownMessages) = (unknownMembers, ignoresUnknownMessages)
        (self.meetsOldServers, self.stepLimit) = (meetsOldServers, stepLimit)
    }

    /// The promise of this specification: readers ignore unknown members, and either side may be the older one.
    package static let holdfast = ComparisonPolicy(unknownMembers: .ignored, meetsOldServers: true)
}
