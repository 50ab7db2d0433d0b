import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJudge
import TestSupport
import Testing

/// What holds for the whole house; a failing test says which line to change.
@Suite struct HouseRuleTests {
    private func lines(_ path: String) throws -> [Substring] {
        try SourceTree.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func files(_ folder: String, _ suffix: String) throws -> [String] {
        let walker = try #require(FileManager.default.enumerator(atPath: SourceTree.root + "/" + folder), "\(folder)")
        var found: [String] = []
        for case let path as String in walker where path.hasSuffix(suffix) { found.append("\(folder)/\(path)") }
        return found.sorted()
    }

    // MARK: Clauses

    /// The golden list of ids, keywords and sentences: a changed sentence is a changed protocol, and must be seen as one.
    ///
    /// `HOLDFAST_RECORD=1 swift test --filter HouseRuleTests` writes `Goldens/clauses.txt` anew; the run that records fails.
    @Test func `the clauses are those of the golden list`() throws {
        let clauses = try SourceTree.specification().clauses
        #expect(Set(clauses.map(\.id)).count == clauses.count)
        let text = clauses.map { "\($0.id) \($0.keyword.rawValue): \($0.sentence)\n" }.joined()
        try Golden.check(text, against: "Tests/HoldfastTests/Goldens/clauses.txt")
    }

    @Test func `each clause has a check or an exclusion or is pending, never two of them`() throws {
        let clauses = try SourceTree.specification().clauses
        var pending: [ClauseID] = []
        for clause in clauses {
            let hasCheck = Checks.check(of: clause.id) != nil
            #expect(!(hasCheck && clause.exclusion != nil), "\(clause.id) has both a check and an exclusion")
            if clause.keyword == .may {
                #expect(clause.exclusion != nil, "\(clause.id) is a permission without a reason")
            }
            if !hasCheck, clause.exclusion == nil { pending.append(clause.id) }
            #expect(clause.role != .server || hasCheck || clause.exclusion != nil, "\(clause.id) is not judged")
        }
        print(
            "pending: \(pending.count) of \(clauses.count) clauses: \(pending.map(\.description).joined(separator: " "))"
        )
        #expect(pending.count < clauses.count)
    }

    @Test func `what a profile needs is what chapter 3 says`() throws {
        let rows = try SourceTree.text("Spec/chapters/03-conformance-and-profiles.md").split(separator: "\n")
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        for profile in Profile.allCases {
            let row = try #require(rows.first { $0.count == 4 && $0[0] == "`\(profile.rawValue)`" }, "\(profile)")
            #expect(row[3] == profile.needed.map { "`\($0.rawValue)`" } ?? "–", "\(profile)")
        }
    }

    /// A clause that no scenario of a subject's own profiles can exercise would leave the subject incomplete for ever.
    @Test func `every set of profiles has a scenario for each clause that binds it`() throws {
        let specification = try SourceTree.specification()
        let server = try specification.scenarios().map { ($0.needs.profiles, $0.clauses) }
        let client = try specification.clientScenarios().map { ($0.needs.profiles, $0.clauses) }
        for (role, scenarios) in [(Role.server, server), (.client, client)] {
            let base = Profile.base(of: role)
            let optional = Profile.all(of: role).subtracting([base]).sorted()
            for choice in 0..<(1 << optional.count) {
                let declared = Set([base] + optional.indices.filter { choice >> $0 & 1 == 1 }.map { optional[$0] })
                let exercised = Set(scenarios.filter { declared.isSuperset(of: $0.0) }.flatMap(\.1))
                let stranded = specification.clauses.filter {
                    $0.role == role && $0.exclusion == nil && $0.undeclared(in: declared) == nil
                        && !exercised.contains($0.id)
                }
                #expect(stranded.isEmpty, "\(declared.sorted().map(\.rawValue)): \(stranded.map(\.id.description))")
            }
        }
    }

    @Test func `the tables and the front pages count the clauses there are`() throws {
        let clauses = try SourceTree.specification().clauses
        func row(_ counted: [Clause]) -> String {
            let server = counted.count { $0.role == .server }
            let excluded = counted.count { $0.exclusion != nil }
            return "| \(counted.count) | \(server) | \(counted.count - server) | \(excluded) |"
        }
        let table = try lines("Spec/README.md")
        for (area, counted) in Dictionary(grouping: clauses, by: \.id.area) {
            let line = try #require(table.first { $0.hasPrefix("| [\(area.rawValue)](clauses/") }, "\(area.rawValue)")
            #expect(line.hasSuffix(row(counted)), "Spec/README.md: \(area.rawValue) is \(row(counted))")
        }
        let sum = try #require(table.first { $0.hasPrefix("| | **all** |") })
        #expect(sum.replacing("*", with: "").hasSuffix(row(clauses)), "Spec/README.md: all is \(row(clauses))")
        for (profile, counted) in Dictionary(grouping: clauses, by: \.profile) {
            let start = "| `\(profile.rawValue)` | \(profile.role.rawValue) | \(counted.count) |"
            #expect(table.contains { $0.hasPrefix(start) }, "Spec/README.md: \(start)")
        }
        for path in ["README.md", "CHANGELOG.md"] {
            let text = try SourceTree.text(path)
            #expect(
                text.contains("\(clauses.count) numbered clauses") || text.contains("\(clauses.count) clauses"),
                "\(path)")
        }
    }

    @Test func `a sentence has at most 30 words and one exception`() throws {
        for clause in try SourceTree.specification().clauses {
            let words = clause.sentence.split(whereSeparator: \.isWhitespace)
            #expect(words.count <= 30, "\(clause.id) has \(words.count) words")
            #expect(words.count { $0 == "unless" } <= 1, "\(clause.id) has more than one 'unless'")
        }
    }

    /// Only the sentence binds, so no duty stands elsewhere.
    @Test func `duties stand in the sentences of clauses alone`() throws {
        let duty = /\b(MUST|SHOULD|MAY|(has|have) to)\b/
        for path in try files("Spec/chapters", ".md") + files("Spec/clauses", ".md") {
            // A sentence stands between the heading of its clause and the reason.
            var isSentence = false
            for (number, line) in try lines(path).enumerated() {
                isSentence =
                    line.hasPrefix("### ") && path.contains("/clauses/") || isSentence && !line.hasPrefix("Why:")
                guard !isSentence, let match = line.firstMatch(of: duty) else { continue }
                Issue.record("\(path):\(number + 1): '\(match.0)' stands outside a sentence")
            }
        }
    }

    @Test(arguments: [("ImplementAServer", Role.server), ("ImplementAClient", Role.client)])
    func `a guide names each clause of its side once`(guide: String, role: Role) throws {
        let text = try SourceTree.text("Sources/conformance/Documentation.docc/\(guide).md")
        let kept = text.components(separatedBy: "* **Keeps**: ").dropFirst()
            .map { $0.prefix { $0 != "*" } }.joined().matches(of: clauseName).compactMap { ClauseID(String($0.1)) }
        let wanted = try SourceTree.specification().clauses.filter { $0.role == role }.map(\.id)
        #expect(kept.count == Set(kept).count, "a clause is named twice")
        #expect(Set(kept) == Set(wanted), "\(Set(kept).symmetricDifference(wanted).map(\.description).sorted())")
    }

    @Test func `each check judges a clause, and each clause has one check`() throws {
        let specification = try SourceTree.specification()
        let ids = Checks.all.map(\.clause)
        #expect(!ids.isEmpty)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(specification[id] != nil, "\(id) is no clause") }
    }

    @Test func `the quote above each check is its sentence`() throws {
        let specification = try SourceTree.specification()
        var quoted: [ClauseID: String] = [:]
        for path in try files("Sources/Judge/Areas", ".swift") {
            var comment = ""
            for line in try lines(path) {
                let text = line.drop { $0 == " " }
                if text.hasPrefix("///") {
                    let words = text.dropFirst(3).drop { $0 == " " }
                    // An empty line ends the paragraph of the quote.
                    comment +=
                        words.isEmpty ? "\n" : comment.hasSuffix("\n") || comment.isEmpty ? "\(words)" : " \(words)"
                    continue
                }
                let paragraph = comment.split(separator: "\n").first.map(String.init) ?? ""
                comment = ""
                guard text.hasPrefix("static func "), let colon = paragraph.firstIndex(of: ":"),
                    let id = ClauseID(String(paragraph[..<colon]))
                else { continue }
                #expect(quoted[id] == nil, "\(path): \(id) is quoted twice")
                quoted[id] = paragraph
            }
        }
        for check in Checks.all {
            let clause = try #require(specification[check.clause])
            let sentence = clause.sentence.hasSuffix(".") ? String(clause.sentence.dropLast()) : clause.sentence
            let wanted = "\(clause.id): \"\(sentence)\"."
            #expect(
                quoted[check.clause] == wanted,
                "Sources/Judge/Areas: put this line above the check, wrapped at 120 columns\n    /// \(wanted)")
        }
    }

    // MARK: Trace

    private let clauseName = /\b([A-Z]+-[1-9][0-9]*)\b/

    @Test func `each requirement is in the trace, with the clauses that name it`() throws {
        let clauses = try SourceTree.specification().clauses
        let rows = try lines("Spec/trace.md").filter { $0.prefixMatch(of: /\| R[0-9]/) != nil }
        var traced: [String: [String]] = [:]
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            traced[cells[0]] = cells[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        for number in 1...74 {
            let requirement = "R\(number)"
            let carriers = clauses.filter { $0.sources.contains(requirement) }.map(\.id.description)
            #expect(!carriers.isEmpty, "\(requirement) is in no clause's From")
            #expect(
                traced[requirement].map(Set.init) == Set(carriers),
                "Spec/trace.md: | \(requirement) | \(carriers.joined(separator: ", "))")
        }
        #expect(traced.count == 74)
    }

    @Test func `each audit finding is traced to clauses or out of scope with a reason`() throws {
        let findings =
            (1...6).map { "1.\($0)" } + (1...6).map { "2.\($0)" } + (1...6).map { "3.\($0)" }
            + (1...5).map { "4.\($0)" }
        #expect(findings.count == 23)
        let rows = try lines("Spec/trace.md")
        for finding in findings {
            let row = try #require(
                rows.first { $0.hasPrefix("| \(finding) |") }, "finding \(finding) is not in Spec/trace.md")
            let verdict = try #require(row.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) })
            let hasReason = verdict.contains("out of scope: ")
            #expect(hasReason || verdict.contains(clauseName), "finding \(finding): \(verdict)")
        }
    }

    @Test func `each hazard of the two servers has a scenario for its clause`() throws {
        let specification = try SourceTree.specification()
        let scenarios =
            try specification.scenarios().map { ($0.name, $0.clauses) }
            + specification.clientScenarios().map { ($0.name, $0.clauses) }
        let rows = try lines("Spec/trace.md")
        let from = try #require(rows.firstIndex { $0.hasPrefix("### 4.1") })
        for hazard in (1...7).map({ "N\($0)" }) + (1...9).map({ "A\($0)" }) {
            let row = try #require(rows[from...].first { $0.hasPrefix("| \(hazard) |") }, "\(hazard)")
            let match = try #require(row.firstMatch(of: /\| ([A-Z]+-[0-9]+) \| `([^`]+)`/), "\(row)")
            let clauses = try #require(scenarios.first { $0.0 == match.2 }?.1, "\(row)")
            #expect(clauses.map(\.description).contains(String(match.1)), "\(row)")
        }
    }

    @Test func `every clause that the prose names exists`() throws {
        let specification = try SourceTree.specification()
        let areas = Set(Area.allCases.map(\.rawValue))
        let guides = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter {
            FileManager.default.fileExists(atPath: SourceTree.root + "/" + $0)
        }
        for path in try files("Spec", ".md") + guides {
            for (number, line) in try lines(path).enumerated() {
                for match in line.matches(of: clauseName) {
                    guard let area = match.1.split(separator: "-").first, areas.contains(String(area)),
                        let id = ClauseID(String(match.1))
                    else { continue }
                    #expect(specification[id] != nil, "\(path):\(number + 1): \(id) is no clause")
                }
            }
        }
    }

    // MARK: Comments

    /// Constructions that have to be read twice, each with the remedy.
    private let riddles: [(found: Regex<Substring>, instead: String)] = [
        (/(?:^|[.;:!] )(?:What|Who|Whom|Whose|Whoever|Whatever|Of what|Of which)\b/, "begin with a noun or a verb"),
        (/^(?:(?:One|Those) that|Of (?:the|so|several|two)|That (?:no|an?|the|there))\b/, "begin with a noun"),
        (/\b(?:comes?|came) to nothing\b|\bbut for\b|\ball the same\b/, "fails, except, anyway"),
        (/\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b|\b[Ww]hoever\b/, "name the subject"),
        (/\bmatter of\b/, "say which clause judges it"),
        (/\btold (?:of|apart)\b/, "announced, reported, distinguished"),
        (/\b(?:said|told) otherwise\b|\bgo(?:es)? without saying\b/, "by default"),
        (/\bstands? (?:in|on|at|there|beside|behind|before|apart)\b/, "is"),
        (/\bput to the test\b/, "exercised"),
        (/\bin vain\b|\bof its own accord\b|\blaid to\b|\bc[oa]mes? along\b/, "use the usual word"),
        (/\b(?!there\b)\w+ (?:is|are|was|were) no (?!longer|more|other|less|better|reason|excuse)[a-z]/, "is not a"),
        (
            /\bfor ever\b|[Cc]olour|[Bb]ehaviour|neighbour|(?:recogn|normal|synchron|initial|optim)is/,
            "American spelling"
        ),
        (/\b(?:cancelled|labelled)\b(?!`)/, "American spelling"),
    ]

    @Test func `comments are understood at the first reading`() throws {
        let sources = try files("Sources", ".swift")
        #expect(sources.count > 400)
        for path in sources {
            for (line, paragraph) in try comments(path) {
                for riddle in riddles {
                    guard let match = paragraph.firstMatch(of: riddle.found) else { continue }
                    Issue.record("\(path):\(line): '\(match.0)' in '\(paragraph)': \(riddle.instead)")
                }
            }
        }
    }

    /// The paragraphs and list items of a file's comments, each with its first line.
    private func comments(_ path: String) throws -> [(line: Int, text: String)] {
        var found: [(line: Int, text: String)] = []
        var isOpen = false
        for (index, line) in try lines(path).enumerated() {
            let code = line.drop { $0 == " " }
            guard
                let mark = code.hasPrefix("//")
                    ? code[...] : line.firstRange(of: "  // ").map({ line[$0.upperBound...] })
            else {
                isOpen = false
                continue
            }
            var text = mark.drop { "/ ".contains($0) }
            let isItem = text.hasPrefix("- ") || text.hasPrefix("* ") || text.hasPrefix("MARK: ")
            if isItem { text = text.drop { $0 != " " }.dropFirst() }
            if isOpen, !isItem, !text.isEmpty {
                found[found.count - 1].text += " \(text)"
            } else if !text.isEmpty {
                found.append((index + 1, String(text)))
            }
            isOpen = code.hasPrefix("//") && !text.isEmpty
        }
        return found
    }
}
