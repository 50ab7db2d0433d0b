import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// What the gate shows of a break, asked of validators that others wrote.
@Suite(
    .enabled(
        if: ExamplePython.has("jsonschema", "referencing", "jsonschema_rs"),
        "Python has no jsonschema or no jsonschema-rs"))
struct WitnessTests {
    /// Rules about what peers send that show no message, and why.
    private static let withoutWitness = [
        "fixture-verdict-changed": "the golden file is the message",
        "default-changed": "the message stays the same; what it leaves out means something else",
        "property-added-default": "the message stays the same; what it leaves out means something now",
        "message-direction-changed": "its schema stays the same; another side sends it",
    ]

    private static let slot = String(MessageSchemas.base.dropLast("schemas/".count)) + "slot.json"

    /// The schemas of a state by their URI, under each set of profiles.
    private func schemas(_ protocol: SmallProtocol) throws -> JSONValue {
        let sets: [Set<Profile>] = [[], [.sync], [.push]]
        return .array(
            try sets.map { profiles in
                let texts = `protocol`.files.filter { $0.key.hasPrefix("Spec/schemas/") }
                return .object(
                    JSONObject(
                        try texts.map { path, text in
                            (
                                key: MessageSchemas.base + path.dropFirst("Spec/schemas/".count),
                                value: ProfileOverlay.apply(profiles, to: try JSONParser.value(text))
                            )
                        }))
            })
    }

    /// Counts what either validator says otherwise: a witness is valid by its writer and invalid by its reader, under
    /// one set of profiles.
    private static let script = """
        import json, sys, jsonschema_rs, referencing
        from jsonschema import Draft202012Validator
        data = json.load(open(sys.argv[1]))
        formats = Draft202012Validator.FORMAT_CHECKER  # a format is a rule here, and not a remark
        def python(schemas, uri, value):
            resources = [(u, referencing.Resource.from_contents(s)) for u, s in schemas.items()]
            registry = referencing.Registry().with_resources(resources)
            return Draft202012Validator({"$ref": uri}, registry=registry, format_checker=formats).is_valid(value)
        def rust(schemas, uri, value):
            registry = jsonschema_rs.Registry([(u, s) for u, s in schemas.items()])
            return jsonschema_rs.Draft202012Validator({"$ref": uri}, registry=registry, validate_formats=True).is_valid(value)
        def refuses(validator, schemas, uri, value):
            # A version that lacks the message has no other one that accepts it.
            uris = [uri] if uri in schemas else [u for u in schemas if "/messages/" in u]
            return not any(validator(schemas, u, value) for u in uris)
        validators = [python, rust]
        wrong = 0
        for item in data:
            value = json.loads(item["json"])
            for validator in validators:
                if not any(
                    validator(item["writer"][i], item["uri"], value)
                    and refuses(validator, item["reader"][i], item["uri"], value)
                    for i in range(len(item["writer"]))
                ):
                    wrong += 1
                    print("WRONG", validator.__name__, item["name"], item["json"])
        print(len(data), "witnesses,", len(validators), "validators,", wrong, "wrong")
        """

    @Test func `each is valid by its writer and invalid by its reader`() async throws {
        var items: [JSONValue] = []
        let shown = ProtocolChange.all.filter { $0.witness != nil }.map(\.name)
        for change in ProtocolChange.all {
            var new = ChangedProtocol.base
            change.apply(to: &new, version: "1.1")
            let report = try await ProtocolChange.minor.report(change)
            let (before, after) = (try schemas(ChangedProtocol.base), try schemas(new))
            for finding in report.entries.map(\.finding) {
                guard let witness = finding.witness else {
                    if finding.severity == .error, finding.direction != nil {
                        #expect(Self.withoutWitness[finding.rule] != nil, "\(change.name): \(finding)")
                    }
                    continue
                }
                // What stands in a request has no file of its own: it is read as one beside openapi.json.
                let isMessage = !witness.message.contains(" ")
                let uri = isMessage ? MessageSchemas.base + "messages/\(witness.message).json" : Self.slot
                func sets(_ files: JSONValue, _ slot: JSONValue?) -> JSONValue {
                    guard !isMessage else { return files }
                    return .array(
                        (files.arrayValue ?? []).map { set in
                            var set = set
                            set[Self.slot] = [
                                "$schema": "https://json-schema.org/draft/2020-12/schema",
                                "allOf": .array([slot ?? true]),
                            ]
                            return set
                        })
                }
                let (one, other) = (sets(before, finding.oldValue), sets(after, finding.newValue))
                let isOld = witness.validBy == .old
                items.append([
                    "name": .string(change.name), "json": .string(witness.json),
                    "uri": .string(uri), "writer": isOld ? one : other,
                    "reader": isOld ? other : one,
                ])
            }
        }
        let named = Set(items.compactMap { $0["name"]?.stringValue })
        #expect(named.isSuperset(of: shown))
        let folder = try TemporaryDirectory()
        let file = folder.path + "/witnesses.json"
        try Data(JSONValue.array(items).text().utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try await ExamplePython.run(["-c", Self.script, file])
        #expect(outcome.status == 0 && outcome.output.contains(" 0 wrong"), "\(outcome.output)")
    }
}
