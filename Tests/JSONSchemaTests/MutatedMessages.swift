import Foundation
import HoldfastJSON
import HoldfastJSONSchema

/// Messages with faults that nobody would write on purpose, the same in every run.
struct MutatedMessages {
    /// How many a test looks at: HOLDFAST_MUTATIONS, or as many as given.
    static func count(_ usual: Int) -> Int {
        ProcessInfo.processInfo.environment["HOLDFAST_MUTATIONS"].flatMap { Int($0) } ?? usual
    }

    let schema: JSONValue
    private let seeds: [JSONValue]
    private var state: UInt64 = 11

    /// The messages of the bench folder, where it is present, beside those that are built in.
    init() throws {
        if let folder = Suites.bench {
            func read(_ path: String) throws -> JSONValue {
                try JSONParser.value(bytes: Data(contentsOf: folder.appending(path: path)))
            }
            schema = try read("schema-2020.json")
            seeds = try ["chat", "done", "toolUse", "error", "sync", "rateLimit", "push"].map {
                try read("messages/\($0).json")
            }
        } else {
            schema = Self.ownSchema
            seeds = Self.ownMessages
        }
    }

    private mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(1, sides)
    }

    /// A message with up to three changes, some of them without consequence.
    mutating func next() -> String {
        var value = seeds[roll(seeds.count)]
        for _ in 0..<roll(4) { value = mutated(value, levels: 1 + roll(3)) }
        let text = value.text()
        // The same value, spelled otherwise.
        switch roll(8) {
        case 0: return text.replacing("\"type\"", with: "\"\\u0074yp\\u0065\"")
        case 1: return text.replacing("\":\"c", with: "\" : \"\\u0063")
        default: return text
        }
    }

    private mutating func mutated(_ value: JSONValue, levels: Int) -> JSONValue {
        switch value {
        case .object(var object) where levels > 0 && !object.isEmpty:
            let key = object.keys[roll(object.count)]
            switch roll(10) {
            case 0: object[key] = nil
            case 1:
                let member = object[key]
                object[key] = nil
                object[key + "s"] = member
            case 2: object["surprise"] = pool[roll(pool.count)]
            case 3: object[key] = pool[roll(pool.count)]
            default: object[key] = object[key].map { mutated($0, levels: levels - 1) }
            }
            return .object(object)
        case .array(var values) where levels > 0 && !values.isEmpty:
            let index = roll(values.count)
            switch roll(4) {
            case 0: values.append(values[index])
            case 1: values.remove(at: index)
            default: values[index] = mutated(values[index], levels: levels - 1)
            }
            return .array(values)
        case .string(let string):
            switch roll(4) {
            case 0: return .string(string + ["é", "\n", "🙂", "\"", " ", "z"][roll(6)])
            case 1: return .string(String(string.dropLast()))
            default: return pool[roll(pool.count)]
            }
        default: return pool[roll(pool.count)]
        }
    }

    private let pool: [JSONValue] = [
        nil, true, false, 0, 1, -1, 0.5, 1.0, 501, 100_000, "", "x", "chat", "push", "default", [], [:], ["a", "a"],
        ["a": 1], "2026-02-28T10:00:00Z", "6513270e-269e-4d37-a2a7-4de452e6b438",
        .string(String(repeating: "é", count: 40)),
    ]

    private static let ownSchema: JSONValue = [
        "oneOf": [["$ref": "#/$defs/chat"], ["$ref": "#/$defs/push"]],
        "$defs": [
            "envelope": [
                "required": ["id"], "properties": ["id": ["type": "string", "minLength": 2, "maxLength": 36]],
            ],
            "chat": [
                "allOf": [["$ref": "#/$defs/envelope"]], "required": ["type", "text"], "unevaluatedProperties": false,
                "properties": [
                    "type": ["const": "chat"], "text": ["type": "string", "pattern": "^[a-z ]{1,20}$"],
                    "limit": ["type": "integer", "minimum": 1, "maximum": 500],
                    "tags": ["type": "array", "uniqueItems": true, "items": ["enum": ["a", "b", 1, nil]]],
                ],
            ],
            "push": [
                "allOf": [["$ref": "#/$defs/envelope"]], "required": ["type"], "unevaluatedProperties": false,
                "properties": [
                    "type": ["const": "push"],
                    "badge": ["anyOf": [["type": "null"], ["type": "number", "maximum": 99.5]]],
                    "data": [
                        "propertyNames": ["maxLength": 3], "additionalProperties": ["type": ["string", "integer"]],
                    ],
                ],
            ],
        ],
    ]

    private static let ownMessages: [JSONValue] = [
        ["type": "chat", "id": "c1", "text": "hello there", "limit": 10, "tags": ["a", 1, nil]],
        ["type": "push", "id": "p1", "badge": 3, "data": ["a": "b", "c": 2]],
    ]
}
