import Holdfast
import HoldfastJSON
import HoldfastJSONSchema

package struct DriverSchemas: Sendable {
    private let command: Schema
    private let reply: Schema

    package init(_ specification: Specification) throws(InputProblem) {
        command = try Self.schema("driver-command", of: specification)
        reply = try Self.schema("driver-reply", of: specification)
    }

    private static func schema(_ name: String, of specification: Specification) throws(InputProblem) -> Schema {
        let path = "schemas/files/\(name).json"
        let reason: String
        do {
            guard let text = specification.files.texts[path] else { throw Missing() }
            return try Schema(try JSONParser.value(text))
        } catch let problem as JSONProblem {
            reason = problem.sentence
        } catch let problem as SchemaProblem {
            reason = problem.description
        } catch {
            reason = "no such file"
        }
        throw InputProblem(
            location: "Spec/\(path)", what: reason, expected: "a schema that compiles", fix: "restore the file")
    }

    private struct Missing: Error {}

    func reasons(againstCommand value: JSONValue) -> [String] { Self.reasons(command, value) }

    func reasons(againstReply value: JSONValue) -> [String] { Self.reasons(reply, value) }

    private static func reasons(_ schema: Schema, _ value: JSONValue) -> [String] {
        let violations = schema.violations(in: value)
        let shown = violations.prefix(3).map(\.description)
        return violations.count > shown.count ? shown + ["and \(violations.count - shown.count) more"] : shown
    }
}
