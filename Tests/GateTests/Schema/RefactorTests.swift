import Foundation
import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Other words for the same thing give no finding.
@Suite struct RefactorTests {
    private func silent(_ old: JSONValue, _ new: JSONValue) throws {
        for policy in [ComparisonPolicy(), .holdfast] {
            #expect(try RuleCase.findings(old, new, policy: policy) == [])
            #expect(try RuleCase.findings(new, old, policy: policy) == [])
        }
    }

    private let member: JSONValue = ["type": "string", "minLength": 1]

    @Test func `a reference and what it leads to`() throws {
        try silent(
            ["properties": ["a": ["$ref": "#/$defs/m"]], "$defs": ["m": member]], ["properties": ["a": member]])
        try silent(
            ["properties": ["a": ["$ref": "#/$defs/m"]], "$defs": ["m": member]],
            ["properties": ["a": ["$ref": "#/$defs/n"]], "$defs": ["n": member]])
        try silent(
            ["$ref": "#/$defs/m", "$defs": ["m": member]],
            ["$ref": "#/$defs/n", "$defs": ["n": ["$ref": "#/$defs/m"], "m": member]])
    }

    @Test func `another order`() throws {
        try silent(
            ["required": ["a", "b"], "properties": ["a": member, "b": ["enum": [1, 2]]]],
            ["properties": ["b": ["enum": [2, 1]], "a": member], "required": ["b", "a"]])
        try silent(["type": ["string", "null"]], ["type": ["null", "string"]])
        try silent(["anyOf": [member, ["type": "null"]]], ["anyOf": [["type": "null"], member]])
    }

    @Test func `alternatives that exclude each other`() throws {
        let one: JSONValue = [
            "type": "object", "required": ["type"], "properties": ["type": ["const": "a"], "x": member],
        ]
        let other: JSONValue = [
            "type": "object", "required": ["type"], "properties": ["type": ["const": "b"], "y": member],
        ]
        try silent(["oneOf": [one, other]], ["anyOf": [one, other]])
        try silent(["oneOf": [member, ["type": "null"]]], ["anyOf": [["type": "null"], member]])
        try silent(["anyOf": [["type": "string"], ["type": "null"]]], ["type": ["string", "null"]])
    }

    @Test func `one schema or several that all hold`() throws {
        try silent(
            ["type": "object", "required": ["a"], "properties": ["a": member, "b": member]],
            [
                "allOf": [
                    ["type": "object", "properties": ["a": member]], ["required": ["a"], "properties": ["b": member]],
                ]
            ])
        try silent(
            ["type": "string", "minLength": 1, "maxLength": 5],
            ["type": "string", "allOf": [["minLength": 1], ["maxLength": 5]]])
    }

    @Test func `one value`() throws {
        try silent(["const": "a"], ["enum": ["a"]])
        try silent(["type": "string", "const": "a"], ["const": "a"])
        try silent(["type": "boolean"], ["enum": [true, false]])
        try silent(["type": "null"], ["const": nil])
    }

    @Test func `one bound`() throws {
        try silent(["type": "integer", "minimum": 1], ["type": "integer", "exclusiveMinimum": 0])
        try silent(["type": "integer", "maximum": 9], ["type": "integer", "exclusiveMaximum": 9.5])
        try silent(["type": "array", "maxItems": 1], ["type": "array", "maxItems": 1, "uniqueItems": true])
        try silent(["type": "string", "minLength": 1], ["type": "string", "pattern": "[^]"])
    }

    @Test func `one pattern`() throws {
        try silent(["type": "string", "pattern": "^[0-9]+$"], ["type": "string", "pattern": "^\\d\\d*$"])
        try silent(["type": "string", "pattern": "^(a|b)*$"], ["type": "string", "pattern": "^[ab]*$"])
        try silent(
            ["type": "string", "pattern": "^.{3}$", "minLength": 3],
            ["type": "string", "pattern": "^.{3}$", "maxLength": 3])
        try silent(["type": "string", "maxLength": 2, "pattern": "^a*$"], ["enum": ["", "a", "aa"]])
    }

    @Test func `one condition`() throws {
        try silent(
            ["type": "string", "if": ["const": "a"], "then": true, "else": ["minLength": 3]],
            ["type": "string", "anyOf": [["const": "a"], ["minLength": 3]]])
        try silent(["not": ["not": ["type": "string"]]], ["type": "string"])
        try silent(
            ["dependentRequired": ["a": ["b"]]],
            ["if": ["type": "object", "required": ["a"]], "then": ["required": ["b"]]])
    }

    @Test func `schemas that hold themselves`() throws {
        func tree(_ name: String) -> JSONValue {
            [
                "$ref": .string("#/$defs/\(name)"),
                "$defs": [
                    name: [
                        "type": "object", "required": ["v"],
                        "properties": [
                            "v": ["type": "integer"],
                            "next": ["type": "array", "items": ["$ref": .string("#/$defs/\(name)")]],
                        ],
                    ]
                ],
            ]
        }
        try silent(tree("tree"), tree("node"))
        // Written out once more, it is the same tree.
        var unrolled = tree("tree")
        let inner = unrolled[def: "tree"]
        unrolled["$defs"]?["tree"]?["properties"]?["next"]?["items"] = inner
        try silent(tree("tree"), unrolled)
        var deeper = tree("tree")
        deeper["$defs"]?["tree"]?["properties"]?["v"]?["minimum"] = 0
        let findings = try RuleCase.findings(tree("tree"), deeper)
        #expect(findings.filter { $0.severity == .error }.map(\.rule) == ["limit-tightened"])
    }
}
