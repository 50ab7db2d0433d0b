/// Compares the message schemas of two versions.
///
/// Schemas nest, and so does the search: whoever compares schemas of others does it where the stack is deep.
///
/// * `old`: The version that peers have now; `new` is the one they shall get.
/// - Returns: The findings, worst first, then by place; no finding when both accept the same messages and say the same about them.
package func compareSchemas(
    old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy = ComparisonPolicy()
) -> [GateFinding] {
    var comparison = SchemaComparison(old: old, new: new, policy: policy)
    return comparison.run()
}

extension GateFinding {
    /// Worst first, then by place, so that the same changes are always told in the same order.
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
