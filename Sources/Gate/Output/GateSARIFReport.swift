import Basics
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
        if let place = entry.place {
            object["locations"] = [
                [
                    "physicalLocation": [
                        "artifactLocation": [
                            "uri": .string(percentEncoded(place.path, keeping: "/")), "uriBaseId": "ROOT",
                        ],
                        "region": ["startLine": JSONValue(place.line ?? 1)],
                    ],
                    "logicalLocations": [["fullyQualifiedName": .string(place.pointerText)]],
                ]
            ]
        }
        object["partialFingerprints"] = ["holdfastGate/v1": .string(finding.fingerprint)]
        let justification =
            switch entry.standing {
            case .counts: String?.none
            case .announced: "the new major version announces it"
            case .waived(let reason, let until): "\(reason) (until \(until))"
            }
        object["suppressions"] = justification.map { [["kind": "external", "justification": .string($0)]] }
        return .object(object)
    }
}
