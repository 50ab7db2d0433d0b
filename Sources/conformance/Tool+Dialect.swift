import Foundation
import Holdfast

extension Tool {
    /// A dialect by its name, or by the path of its file.
    /// - Parameters:
    ///   - text: What was given: `canonical`, the name of a dialect that comes along, or a path.
    ///   - place: Where it was given, such as `--dialect`.
    ///   - folder: Where a relative path begins; here when nil.
    /// - Returns: The dialect.
    /// - Throws: The exit code 64, after every problem was told.
    static func dialect(_ text: String, given place: String, in folder: String? = nil) throws -> Dialect {
        let specification = try specification()
        guard text.contains("/") || text.hasSuffix(".json") else {
            do {
                return try specification.dialect(named: text)
            } catch {
                let isKnown = specification.dialectNames.contains(text)
                throw refuse(
                    error.problems.map {
                        InputProblem(
                            place: isKnown ? $0.place : place, what: $0.what, expected: $0.expected, fix: $0.fix)
                    })
            }
        }
        let path = folder.map { text.hasPrefix("/") ? text : "\($0)/\(text)" } ?? text
        let bytes = try Files.bytes(of: path)
        do {
            return try Dialect(String(decoding: bytes, as: UTF8.self), file: path)
        } catch {
            throw refuse(error.problems)
        }
    }
}
