import HoldfastJSON

/// Reading of whole files, common to all kinds.
extension MemberReader {
    /// Reads a file with one object, described by a schema.
    ///
    /// The schema check is skipped if `isSound`. If `isMeant` returns false, reading ends with the problems that it
    /// noted.
    ///
    /// * `isSound`: Whether it is known to pass the schema.
    /// * `expected`: The expected kind of file, such as `a baseline`.
    /// * `isMeant`: Whether the file is meant to be of this kind.
    /// * `reading`: Converts the members and notes problems; nil without a note is not a problem.
    /// - Throws: All problems of the file, with lines, including duplicate members.
    package static func read<Value>(
        _ bytes: [UInt8], file: String, schema: FileSchema, isSound: Bool = false, expected: String,
        maxBytes: Int = JSONLimits.standard.maxBytes,
        isMeant: (JSONValue, ProblemCollector) -> Bool = { _, _ in true }, _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        let document: JSONDocument
        do {
            document = try JSONParser.document(bytes: bytes, limits: JSONLimits(maxBytes: maxBytes))
        } catch {
            let problem = InputProblem(error, in: file, expected: expected)
            let isTruncated = error.kind == .unterminatedString || error.location.byteOffset >= bytes.count
            throw InputProblems([
                !isTruncated || bytes.isEmpty
                    ? problem
                    : InputProblem(
                        problem.location, problem.what, expected: expected,
                        fix: "the file ends too early: use the complete file, or close its strings and brackets")
            ])
        }
        let collector = ProblemCollector(file: file, text: bytes)
        for flaw in document.flaws { collector.note(flaw) }
        guard isMeant(document.root, collector) else { throw InputProblems(collector.problems) }
        return try read(document.root, isSound ? nil : schema, into: collector, reading)
    }

    /// Reads an object inside something else, so problems have no line numbers; without a schema, it must be valid.
    package static func read<Value>(
        _ value: JSONValue, at location: String, schema: FileSchema?, _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        try read(value, schema, into: ProblemCollector(file: location), reading)
    }

    private static func read<Value>(
        _ root: JSONValue, _ schema: FileSchema?, into collector: ProblemCollector, _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        let findings = schema?.findings(in: root) ?? []
        collector.isRefused = !findings.isEmpty
        let read = MemberReader(root, at: JSONPointer(), into: collector).flatMap(reading)
        schema?.note(findings, in: root, into: collector)
        guard collector.noted.isEmpty, let read else { throw InputProblems(collector.sortedProblems(in: root)) }
        return read
    }

    /// Notes profiles whose required profiles are not declared.
    ///
    /// The missing profile is not added silently, because the author may have omitted its clauses on purpose.
    func noteNeeds(of profiles: Set<Profile>) {
        let dependent = profiles.filter { $0.needed.map { !profiles.contains($0) } ?? false }.sorted()
        let missing = Set(dependent.compactMap(\.needed)).sorted()
        guard !missing.isEmpty else { return }
        func listed(_ profiles: [Profile], in mark: String) -> String {
            profiles.map { mark + $0.rawValue + mark }.joined(separator: ", ")
        }
        let need = dependent.count == 1 ? "needs" : "need"
        let are = missing.count == 1 ? "is" : "are"
        collector.note(
            pointer.appending("profiles"),
            "\(listed(dependent, in: "'")) \(need) \(listed(missing, in: "'")), which \(are) not declared",
            expected: listed(profiles.union(missing).sorted(), in: ""),
            fix: "add \(listed(missing, in: "\"")) to the list")
    }
}
