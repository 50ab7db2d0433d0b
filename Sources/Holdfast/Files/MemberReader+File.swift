import JSON

/// What the readers of all files that a person writes begin and end with.
extension MemberReader {
    /// Reads a file that holds one object.
    /// - Parameters:
    ///   - bytes: The file.
    ///   - file: Its name, as problems show it.
    ///   - expected: What the file should be, in words such as `a subject file`.
    ///   - maxBytes: The most bytes of such a file.
    ///   - reading: Makes something of the members; what is wrong with them it notes, and nil alone says nothing.
    /// - Returns: What was made.
    /// - Throws: Every problem of the file at once, each with its line; a member that stands twice is one.
    package static func read<Value>(
        _ bytes: [UInt8], file: String, expected: String, maxBytes: Int = JSONLimits.standard.maxBytes,
        _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        let document: JSONDocument
        do {
            document = try JSONParser.document(bytes: bytes, limits: JSONLimits(maxBytes: maxBytes))
        } catch {
            throw InputProblems([InputProblem(error, in: file, expected: expected)])
        }
        let collector = ProblemCollector(file: file, text: bytes)
        for flaw in document.flaws { collector.note(flaw) }
        return try read(document.root, into: collector, reading)
    }

    /// Reads an object that travelled inside something else and has no lines.
    /// - Parameters:
    ///   - value: The object.
    ///   - place: Where it was found, as problems show it.
    ///   - reading: Makes something of the members; what is wrong with them it notes.
    /// - Returns: What was made.
    /// - Throws: Every problem at once.
    package static func read<Value>(
        _ value: JSONValue, at place: String, _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        try read(value, into: ProblemCollector(file: place), reading)
    }

    private static func read<Value>(
        _ root: JSONValue, into collector: ProblemCollector, _ reading: (MemberReader) -> Value?
    ) throws(InputProblems) -> Value {
        let read = MemberReader(root, at: JSONPointer(), into: collector).flatMap(reading)
        guard collector.problems.isEmpty, let read else { throw InputProblems(collector.problems) }
        return read
    }

    /// Notes the profiles in `profiles` that are declared without the one they need.
    package func noteNeeds(of profiles: Set<Profile>) {
        let place = pointer.appending("profiles")
        let problem = Profile.problem(declaring: profiles, at: "") { missing in
            "add \(missing.sorted().map { "\"\($0.rawValue)\"" }.joined(separator: ", ")) to the list"
        }
        guard let problem else { return }
        collector.note(place, problem.what, expected: problem.expected, fix: problem.fix)
    }
}
