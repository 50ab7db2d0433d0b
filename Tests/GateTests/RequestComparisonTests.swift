import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// What requests may hold: parameters, bodies, and what no rule knows.
@Suite struct RequestComparisonTests {
    private static let file = "Spec/openapi.json"

    private static func document(
        id: String = #"{"type":"string","maxLength":9}"#, body: String = "chat", required: String = "true",
        answer: String = "done", more: String = ""
    ) -> String {
        """
        {"openapi":"3.1.0","components":{"responses":{"no":{"description":"x"}}},"paths":{"/a/{id}":{"post":{\(more)
        "parameters":[{"name":"id","in":"path","required":true,"schema":\(id)}],
        "requestBody":{"required":\(required),"content":{"application/json":{"schema":{"$ref":"schemas/messages/\(body).json"}}}},
        "responses":{"401":{"$ref":"#/components/responses/no"},
        "200":{"content":{"application/json":{"schema":{"$ref":"schemas/messages/\(answer).json"}}}}}}}}}
        """
    }

    private func report(_ old: String, _ new: String) async throws -> GateReport {
        var edit = Edit { $0.files[Self.file] = new }
        edit.old.files[Self.file] = old
        return try await edit.report()
    }

    private func rules(_ old: String, _ new: String) async throws -> Set<String> {
        Set(
            try await report(old, new).entries.filter { $0.kind == .change }
                .map { "\($0.finding.rule) \($0.finding.severity.rawValue)" })
    }

    @Test(arguments: [
        (document(id: #"{"type":"string","maxLength":3}"#), "request-parameter-changed error"),
        (document(id: #"{"type":"string","maxLength":12}"#), "request-parameter-changed error"),
        (document(body: "done"), "request-body-changed error"),
        (document(answer: "chat"), "request-body-changed error"),
        (document(more: #""security":[],"#), "page-changed information"),
        (document(more: #""summary":"Asks.","#), "page-changed information"),
    ])
    func `an edit weighs what it breaks`(new: String, rule: String) async throws {
        let found = try await rules(Self.document(), new)
        #expect(found.contains(rule), "\(found)")
        #expect(rule.hasSuffix("error") || !found.contains { $0.hasSuffix("error") }, "\(found)")
    }

    @Test func `a body that is needed breaks clients, and one that is not does not`() async throws {
        let without = Self.document(required: "false")
        #expect(try await rules(without, Self.document()) == ["request-body-required-added error"])
        #expect(try await rules(Self.document(), without) == ["request-body-required-removed error"])
    }

    @Test func `an edit of a shared answer is one finding, and one of its uses another`() async throws {
        let uses = ##""401":{"$ref":"#/components/responses/no"}"##
        let old = Self.document()
            .replacing(
                #""no":{"description":"x"}"#, with: #""no":{"headers":{"Retry-After":{}},"content":{"text/plain":{}}}"#
            )
            .replacing(uses, with: uses + "," + uses.replacing("401", with: "403"))
        let other = old.replacing(#""headers":{"Retry-After":{}},"#, with: "").replacing(
            "text/plain", with: "text/html")
        let entries = try await report(old, other).entries.filter { $0.finding.rule.hasPrefix("answer-") }
        #expect(
            entries.map(\.finding.rule).sorted()
                == ["answer-header-removed", "answer-media-type-added", "answer-media-type-removed"])
        #expect(
            entries.allSatisfy { $0.location?.pointer.tokens.starts(with: ["components", "responses", "no"]) ?? false })
        #expect(try await rules(old, old.replacing(uses + ",", with: "")) == ["status-removed error"])
    }

    @Test func `a tighter parameter names the request, and a value that shows it`() async throws {
        let report = try await report(Self.document(), Self.document(id: #"{"type":"string","maxLength":3}"#))
        let entry = try #require(report.entries.first { $0.finding.rule == "request-parameter-changed" })
        #expect(entry.breaks.map(\.description) == ["clients"])
        #expect(entry.subjects == ["POST /a/{id}"])
        #expect(entry.finding.witness != nil)
        #expect(entry.finding.new?.file == "openapi.json")
    }

    @Test func `a parameter of the same name in another place is another one`() async throws {
        let moved = Self.document().replacing(#""in":"path""#, with: #""in":"query""#)
        #expect(
            try await rules(Self.document(), moved)
                == [
                    "request-parameter-added information", "request-parameter-removed error",
                    "request-parameter-required-added error",
                ])
    }
}
