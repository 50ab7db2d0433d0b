import Foundation

extension SpecificationFiles {
    /// Reads the `.md` and `.json` files of a folder such as `Spec/`.
    /// - Throws: ``InputProblems`` when there is no such folder, a file cannot be read, or nothing is found.
    public init(folder: String) throws(InputProblems) {
        var texts: [String: String] = [:]
        var problems: [InputProblem] = []
        let walker = FileManager.default.enumerator(atPath: folder)
        while let path = walker?.nextObject() as? String {
            guard path.hasSuffix(".md") || path.hasSuffix(".json") else { continue }
            do {
                texts[path] = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
            } catch {
                problems.append(
                    InputProblem(
                        place: "\(folder)/\(path)", what: "cannot be read: \(error.localizedDescription)",
                        expected: "a readable file in UTF-8", fix: "check its permissions and its encoding"))
            }
        }
        if texts.isEmpty {
            problems.append(
                InputProblem(
                    place: folder, what: "holds no specification", expected: "a folder with clauses/ and schemas/",
                    fix: "name the folder Spec of a checkout"))
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.init(texts: texts)
    }
}
