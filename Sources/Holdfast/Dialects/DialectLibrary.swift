import HoldfastBasics

extension Specification {
    /// Every dialect in `dialects/`, by name.
    /// - Throws: All problems of all files.
    public func dialects() throws(InputProblems) -> [Dialect] {
        var problems: [InputProblem] = []
        var found: [Dialect] = []
        for name in files.names(in: "dialects") {
            guard let dialect = problems.take({ () throws(InputProblems) in try self.dialect(named: name) }) else {
                continue
            }
            if dialect.name != name {
                problems.note(
                    "Spec/dialects/\(name).json /name", "the dialect is named '\(dialect.name)'",
                    expected: "the name of the file", fix: "rename one of them")
            }
            found.append(dialect)
        }
        try problems.throwAll()
        return found
    }

    /// The dialect with a name; `canonical` is the specification's own form.
    /// - Throws: The problems of the file, or the list of names if there is none with this name.
    public func dialect(named name: String) throws(InputProblems) -> Dialect {
        if name == Dialect.canonical.name { return .canonical }
        let path = "dialects/\(name).json"
        if let text = files.texts[path] { return try Dialect(text, file: "Spec/\(path)", isSound: files.areSound) }
        let known = dialectNames
        throw InputProblems([
            InputProblem(
                "dialect", "there is no dialect '\(excerpt(name))'", insteadOf: name, among: known,
                expected: "\(known.joined(separator: ", ")), or the path of a dialect file",
                otherwise: "choose one of these")
        ])
    }

    /// The names of all dialects, `canonical` first.
    public var dialectNames: [String] { [Dialect.canonical.name] + files.names(in: "dialects") }
}
