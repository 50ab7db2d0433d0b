/// Compares the message schemas of two versions.
///
/// - Parameters:
///   - old: The version that peers have now.
///   - new: The version they shall get.
///   - policy: What readers do with what they do not know.
/// - Returns: The findings, worst first, then by place; no finding when both accept the same messages and say the same about them.
public func compareSchemas(
    old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy = ComparisonPolicy()
) -> [GateFinding] {
    []
}
