import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform

/// The text files of a specification, by path relative to `Spec/`.
public struct SpecificationFiles: Sendable, Equatable {
    /// File texts by relative path, such as `clauses/SYNC.md`.
    public var texts: [String: String]

    /// Wraps texts.
    public init(texts: [String: String]) { self.texts = texts }

    /// Whether all files are known to match their schemas.
    ///
    /// A test checks the embedded files, so the program does not check them at each start.
    var areSound: Bool { self == .embedded }

    /// The names of the JSON files in a folder such as `dialects`, without folder and extension, ordered by path.
    package func names(in folder: String) -> [String] {
        texts.keys.sorted().compactMap { Self.name(of: $0, in: folder) }
    }

    /// The name of a JSON file in a folder; nil for another file.
    package static func name(of path: String, in folder: String) -> String? {
        guard path.hasPrefix(folder + "/"), path.hasSuffix(".json") else { return nil }
        return String(path.dropFirst(folder.count + 1).dropLast(".json".count))
    }

    package func json(_ path: String) -> JSONValue? { texts[path].flatMap { try? JSONParser.value($0) } }
}

extension SpecificationFiles {
    /// Reads the `.md` and `.json` files of a folder such as `Spec/`.
    /// - Throws: ``InputProblems`` if the folder is missing or empty, or a file cannot be read.
    public init(folder: String) throws(InputProblems) {
        var texts: [String: String] = [:]
        var problems: [InputProblem] = []
        func unreadable(_ path: String, _ reason: String) -> InputProblem {
            InputProblem(
                location: "\(folder)/\(path)", what: "cannot be read: \(reason)", expected: "a readable file in UTF-8",
                fix: "check its permissions and its encoding")
        }
        for path in (try? HoldfastPlatform.files(below: folder)) ?? []
        where path.hasSuffix(".md") || path.hasSuffix(".json") {
            do throws(SystemError) {
                texts[path] = String(utf8: try contents(of: "\(folder)/\(path)"))
                if texts[path] == nil { problems.append(unreadable(path, "it is not in UTF-8")) }
            } catch {
                problems.append(unreadable(path, error.description))
            }
        }
        if texts.isEmpty {
            problems.note(
                folder, "contains no specification", expected: "a folder with clauses/ and schemas/",
                fix: "choose the folder Spec of a checkout")
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.init(texts: texts)
    }
}
