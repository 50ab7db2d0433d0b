import Foundation
import JSON
import JSONSchema

/// A schema of the caller's own, out of a file.
enum ValidateSchema {
    static func load(_ path: String) throws -> Schema {
        let root: JSONValue
        do {
            root = try JSONParser.value(bytes: Files.bytes(of: path))
        } catch let problem as JSONProblem {
            throw Tool.refuse(
                "\(path):\(problem.location)", problem.sentence, expected: "a JSON Schema, draft 2020-12",
                fix: "mend the file")
        }
        do {
            return try Schema(root, baseURI: URL(fileURLWithPath: path).absoluteString)
        } catch {
            throw Tool.refuse(
                path, error.description, expected: "a JSON Schema, draft 2020-12, that stands alone",
                fix: "mend the schema; own keywords start with 'x-'")
        }
    }
}
