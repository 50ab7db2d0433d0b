import JSON

/// The report of the gate as SARIF 2.1.0, which code hosts show beside the lines.
package struct GateSARIFReport {
    private let report: GateReport
    private let toolVersion: String

    /// The report of a comparison, made by a version of the tool.
    package init(_ report: GateReport, toolVersion: String) {
        self.report = report
        self.toolVersion = toolVersion
    }

    /// The whole log.
    package var value: JSONValue {
        let rules = Set(report.entries.map(\.finding.rule)).sorted()
        let driver: JSONValue = [
            "name": "conformance gate", "version": .string(toolVersion),
            "rules": .array(
                rules.map { ["id": .string($0), "shortDescription": ["text": .string($0.replacing("-", with: " "))]] }),
        ]
        let run: JSONValue = [
            "tool": ["driver": driver],
            "invocations": [
                [
                    "executionSuccessful": true, "exitCode": JSONValue(Int(report.exit.rawValue)),
                    "exitCodeDescription": .string(report.headline),
                ]
            ],
            "originalUriBaseIds": ["ROOT": ["description": ["text": "The root of the new state."]]],
            "columnKind": "unicodeCodePoints",
            "results": .array(report.entries.map { result($0, rules) }),
        ]
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
        ]
    }

    private func result(_ entry: GateEntry, _ rules: [String]) -> JSONValue {
        let finding = entry.finding
        var object: JSONObject = ["ruleId": .string(finding.rule)]
        object["ruleIndex"] = rules.firstIndex(of: finding.rule).map { JSONValue($0) }
        object["level"] = .string(
            entry.fails ? "error" : finding.severity == .information ? "note" : "warning")
        object["message"] = ["text": .string(entry.detail)]
        // What is gone is shown where it was.
        if let place = finding.new ?? finding.old {
            object["locations"] = [
                [
                    "physicalLocation": [
                        "artifactLocation": ["uri": .string(Self.encoded(place.path)), "uriBaseId": "ROOT"],
                        "region": ["startLine": JSONValue(place.line ?? 1)],
                    ],
                    "logicalLocations": [["fullyQualifiedName": .string(place.pointerText)]],
                ]
            ]
        }
        object["partialFingerprints"] = ["holdfastGate/v1": .string(finding.fingerprint)]
        switch entry.standing {
        case .counts: break
        case .announced:
            object["suppressions"] = [
                ["kind": "external", "justification": "the new major version announces it"]
            ]
        case .waived(let reason, let until):
            object["suppressions"] = [
                ["kind": "external", "justification": .string("\(reason) (until \(until))")]
            ]
        }
        return .object(object)
    }

    /// A path as a relative URI reference.
    private static func encoded(_ path: String) -> String {
        path.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(scalar))
            guard !isPlain else { return String(Character(scalar)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
