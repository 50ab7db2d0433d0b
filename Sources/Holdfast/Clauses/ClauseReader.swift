import HoldfastBasics

/// Reads the clauses of one chapter, `Spec/clauses/AREA.md`.
///
/// The format is part of the specification: a heading `### ID · role · profile`, one
/// paragraph with the sentence, then the labeled lines `Why:`, `Judged from:`, `Capture:` or `Excluded:`, optionally
/// `Seen:`, and `From: …. Since: …`.
public struct ClauseReader {
    private let file: String
    private let lines: [Substring]
    private var problems: [InputProblem] = []

    private init(file: String, text: String) {
        self.file = file
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The clauses of a chapter, in text order.
    /// - Throws: All problems of the file.
    public static func clauses(in text: String, file: String) throws(InputProblems) -> [Clause] {
        var reader = ClauseReader(file: file, text: text)
        let clauses = reader.read()
        guard reader.problems.isEmpty else { throw InputProblems(reader.problems) }
        return clauses
    }

    private mutating func read() -> [Clause] {
        let headings = lines.indices.filter { lines[$0].hasPrefix("### ") }
        var clauses: [Clause] = []
        for (position, heading) in headings.enumerated() {
            let end = position + 1 < headings.count ? headings[position + 1] : lines.count
            if let clause = clause(heading: heading, end: end) { clauses.append(clause) }
        }
        if headings.isEmpty {
            note(1, "no clause found", expected: "headings such as '### SYNC-3 · server · sync'", fix: "add one")
        }
        return clauses
    }

    private mutating func clause(heading: Int, end: Int) -> Clause? {
        let parts = lines[heading].dropFirst(4).split(separator: "·").map { trimmed($0) }
        guard parts.count == 3, let id = ClauseID(parts[0]), let role = Role(rawValue: parts[1]),
            let profile = Profile(rawValue: parts[2])
        else {
            note(
                heading + 1, "'\(lines[heading].dropFirst(4))' is not a clause heading",
                expected: "'### AREA-n · server|client · profile'",
                fix: "correct the heading")
            return nil
        }
        if profile.role != role {
            note(
                heading + 1, "\(id) binds the \(role.rawValue) but names profile '\(profile.rawValue)'",
                expected: "a profile of that side", fix: "correct the role or the profile")
        }
        let sections = sections(from: heading + 1, to: end)
        let sentence = sections[""] ?? ""
        guard let keyword = keyword(of: sentence, id: id, line: heading + 1) else { return nil }
        for label in ["Why", "Judged from", "From"] where sections[label] == nil {
            note(heading + 1, "\(id) has no line '\(label):'", expected: "Why, Judged from, From", fix: "add it")
        }
        let origin = sections["From"] ?? ""
        let since = origin.firstRange(of: "Since:").map { trimmed(origin[$0.upperBound...]).trimmingSuffix(".") }
        if since == nil {
            note(heading + 1, "\(id) has no 'Since:'", expected: "'From: R24. Since: 1.0.'", fix: "add it")
        }
        let needs = sections["Capture"].map { captureNeeds(in: $0, id: id, line: heading + 1) }
        let sources = origin.firstRange(of: "Since:").map { origin[..<$0.lowerBound] } ?? origin[...]
        return Clause(
            id: id, role: role, profile: profile, keyword: keyword,
            sentence: sentence, why: sections["Why"] ?? "", judgedFrom: sections["Judged from"] ?? "",
            captureNeeds: needs, exclusion: sections["Excluded"], seen: sections["Seen"],
            sources: trimmed(sources).trimmingSuffix(".").split(separator: ",").map { trimmed($0) },
            since: since ?? "", file: file, line: heading + 1)
    }

    /// The labeled paragraphs below a heading; the sentence has the empty label.
    private func sections(from start: Int, to end: Int) -> [String: String] {
        var sections: [String: String] = [:]
        var label: String? = ""
        for line in lines[start..<end] {
            let text = trimmed(line)
            if text.isEmpty || text.hasPrefix("#") {
                if !sections.isEmpty { label = nil }
                continue
            }
            var rest = text[...]
            for name in ["Why", "Judged from", "Capture", "Excluded", "Seen", "From"] where text.hasPrefix(name + ":") {
                label = name
                rest = text.dropFirst(name.count + 1)
            }
            guard let label else { continue }
            sections[label] = trimmed([sections[label] ?? "", trimmed(rest)].joined(separator: " "))
        }
        return sections
    }

    private mutating func keyword(of sentence: String, id: ClauseID, line: Int) -> Keyword? {
        var found: [Keyword] = []
        let words = sentence.split { !($0.isLetter || $0 == "-") }
        for (position, word) in words.enumerated() {
            let next = position + 1 < words.count ? words[position + 1] : ""
            switch word {
            case "MUST": found.append(next == "NOT" ? .mustNot : .must)
            case "SHOULD": found.append(next == "NOT" ? .shouldNot : .should)
            case "MAY": found.append(.may)
            default: continue
            }
        }
        guard found.count == 1 else {
            let names = found.map(\.rawValue).joined(separator: " and ")
            note(
                line, found.isEmpty ? "\(id) has no keyword" : "\(id) has \(found.count) keywords, \(names)",
                expected: "exactly one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY",
                fix: "make each sentence a separate clause")
            return nil
        }
        return found[0]
    }

    /// The needs in a line such as `Capture: frames, request bodies.`; none for `any`, since any capture meets them.
    private mutating func captureNeeds(in text: String, id: ClauseID, line: Int) -> [CaptureNeed] {
        let names = text.trimmingSuffix(".").split(separator: ",").map { trimmed($0) }
        if names == ["any"] { return [] }
        for name in names where CaptureNeed(rawValue: name) == nil {
            let known = CaptureNeed.allCases.map(\.rawValue).joined(separator: ", ")
            note(
                line, "\(id) names an unknown need of a capture, '\(name)'", expected: "any, or some of \(known)",
                fix: "correct the line 'Capture:'")
        }
        return names.compactMap(CaptureNeed.init)
    }

    private mutating func note(_ line: Int, _ what: String, expected: String, fix: String) {
        problems.note("Spec/\(file):\(line):1", what, expected: expected, fix: fix)
    }
}

private func trimmed(_ text: some StringProtocol) -> String { String(text.trimmed(\.isWhitespace)) }

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String { last == suffix ? String(dropLast()) : self }
}
