import HoldfastBasics
import HoldfastJSON

/// A log in SARIF 2.1.0, which code hosts show next to the source.
package struct SARIFLog {
    package struct Result {
        package let rule: String
        package let level: GitHubAnnotation.Level
        package let text: String
        /// The file, relative to the root; nil for none.
        package let file: String?
        package let line: Int?
        /// The name of its subject, which also identifies a result without a file.
        package let name: String
        /// An identity that is stable across runs.
        package let fingerprint: String
        package let justification: String?
        /// The rule of the result it follows from, if any.
        var followsFrom: String?

        package init(
            rule: String, level: GitHubAnnotation.Level, text: String, file: String?, line: Int?, name: String,
            fingerprint: String, justification: String?
        ) {
            (self.rule, self.level, self.text, self.name) = (rule, level, text, name)
            (self.file, self.line, self.fingerprint, self.justification) = (file, line, fingerprint, justification)
        }
    }

    package let value: JSONValue

    /// `root` describes the base of file names, `fingerprints` the fingerprint property, and `words` a rule.
    package init(
        tool: String, version: String, exit: ExitStatus, headline: String, root: String, fingerprints: String,
        words: (String) -> String, results: [Result]
    ) {
        let rules = Set(results.map(\.rule)).sorted()
        let driver: JSONValue = [
            "name": .string(tool), "version": .string(version),
            "rules": .array(rules.map { ["id": .string($0), "shortDescription": ["text": .string(words($0))]] }),
        ]
        let run: JSONValue = [
            "tool": ["driver": driver],
            "invocations": [
                [
                    "executionSuccessful": .bool(exit.rawValue < ExitStatus.usage.rawValue),
                    "exitCode": JSONValue(Int(exit.rawValue)), "exitCodeDescription": .string(headline),
                ]
            ],
            "originalUriBaseIds": ["ROOT": ["description": ["text": .string(root)]]],
            "columnKind": "unicodeCodePoints",
            "results": .array(results.map { Self.value($0, rules, fingerprints) }),
        ]
        value = ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
    }

    package var text: String { value.text(pretty: true) + "\n" }

    private static func value(_ result: Result, _ rules: [String], _ fingerprints: String) -> JSONValue {
        var object: JSONObject = ["ruleId": .string(result.rule)]
        object["ruleIndex"] = rules.firstIndex(of: result.rule).map { JSONValue($0) }
        object["level"] = .string(result.level == .notice ? "note" : result.level.rawValue)
        object["message"] = ["text": .string(result.text)]
        var location: JSONObject = ["logicalLocations": [["fullyQualifiedName": .string(result.name)]]]
        if let file = result.file {
            location["physicalLocation"] = [
                "artifactLocation": ["uri": .string(percentEncoded(file, keeping: "/")), "uriBaseId": "ROOT"],
                "region": ["startLine": JSONValue(result.line ?? 1)],
            ]
        }
        object["locations"] = [.object(location)]
        object["partialFingerprints"] = .object([fingerprints: .string(result.fingerprint)])
        object["properties"] = result.followsFrom.map { ["followsFrom": .string($0)] }
        object["suppressions"] = result.justification.map {
            [["kind": "external", "justification": .string($0)]]
        }
        return .object(object)
    }
}

extension SARIFLog {
    /// The results of a run: one for each clause that is violated, has a warning, or lacks proof.
    package init(_ report: RunReport) {
        let clauses = report.clauses.map(\.clause).keyed(by: \.id.description)
        let results = ReportCases(report).all.compactMap { one -> Result? in
            var justification: String?
            if case .expected(let reason) = one.status { justification = reason }
            guard one.isWrong || one.hasRemark || one.head != nil || justification != nil else { return nil }
            let clause = clauses[one.id]
            let source = clause.map { $0.file.isEmpty ? nil : (name: "Spec/\($0.file)", line: $0.line) } ?? one.file
            var result = Result(
                rule: clause == nil ? one.kind.replacing(" ", with: "-") : one.id,
                level: one.isWrong ? .error : one.head == nil ? .warning : .notice,
                text: GitHubAnnotation.words(
                    [one.message, one.details].filter { !$0.isEmpty }.joined(separator: "\n")),
                file: source?.name, line: source.map { max($0.line, 1) }, name: one.id,
                fingerprint: "\(one.id) \(one.kind)",
                justification: justification)
            result.followsFrom = one.head?.description
            return result
        }
        self.init(
            tool: "conformance", version: report.tool ?? "unknown", exit: report.exit, headline: report.headline,
            root: "The root of the specification.", fingerprints: "holdfast/v1",
            words: { clauses[$0]?.sentence ?? $0.replacing("-", with: " ") }, results: results)
    }
}
