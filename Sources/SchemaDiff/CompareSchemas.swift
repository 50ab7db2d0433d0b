import Foundation
import Synchronization

/// Compares the message schemas of two versions.
///
/// - Parameters:
///   - old: The version that peers have now.
///   - new: The version they shall get.
///   - policy: What readers do with what they do not know.
/// - Returns: The findings, worst first, then by place; no finding when both accept the same messages and say the same about them.
package func compareSchemas(
    old: MessageSchemaSet, new: MessageSchemaSet, policy: ComparisonPolicy = ComparisonPolicy()
) -> [GateFinding] {
    // Schemas nest, and so does the search: a thread of our own has room for that.
    let result = Mutex<[GateFinding]>([])
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        var comparison = SchemaComparison(old: old, new: new, policy: policy)
        let findings = comparison.run()
        result.withLock { $0 = findings }
        done.signal()
    }
    thread.stackSize = 64 << 20
    thread.start()
    done.wait()
    return result.withLock { $0 }
}

extension GateFinding {
    /// Worst first, then by place, so that the same changes are always told in the same order.
    static func comesFirst(_ left: GateFinding, _ right: GateFinding) -> Bool {
        if left.severity != right.severity { return left.severity > right.severity }
        func place(_ finding: GateFinding) -> (String, Int) {
            let place = finding.new ?? finding.old
            return (place?.file ?? "", place?.line ?? 0)
        }
        if place(left) != place(right) { return place(left) < place(right) }
        return (left.rule, left.direction?.rawValue ?? "", left.fingerprint)
            < (right.rule, right.direction?.rawValue ?? "", right.fingerprint)
    }
}
