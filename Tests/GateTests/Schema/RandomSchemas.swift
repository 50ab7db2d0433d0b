import HoldfastBasics
import HoldfastJSON

/// Small schemas and values that meet each other often.
struct RandomSchemas {
    var numbers: SplitMix64
    /// Whether they have keywords that the prover does not know.
    let areRare: Bool

    init(seed: UInt64, areRare: Bool = false) { (numbers, self.areRare) = (SplitMix64(seed: seed), areRare) }

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &numbers)] }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

    private static let names = ["a", "b", "c"]
    private static let patterns = ["^a", "b$", "^[ab]*$", "^.{2}$", "a|b", "^(ab)+$", "^a?b?$"]

    mutating func value(_ depth: Int = 3) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &numbers) {
        case 0: return nil
        case 1: return .bool(chance(50))
        case 2, 3: return JSONValue(Int.random(in: -2...6, using: &numbers))
        case 4: return pick([0.5, 1.5, 2.25, -0.5])
        case 5, 6, 7: return .string(pick(["", "a", "b", "ab", "abab", "ba", "aa", "c", "abc"]))
        case 8, 9:
            return .array((0..<Int.random(in: 0...3, using: &numbers)).map { _ in value(depth - 1) })
        default:
            var object = JSONObject()
            for name in Self.names + ["d"] where chance(45) { object[name] = value(depth - 1) }
            return .object(object)
        }
    }

    mutating func schema(_ depth: Int = 3) -> JSONValue {
        if chance(4) { return .bool(chance(70)) }
        var schema = JSONObject()
        for _ in 0..<Int.random(in: 1...3, using: &numbers) { keyword(&schema, depth) }
        return .object(schema)
    }

    private mutating func keyword(_ schema: inout JSONObject, _ depth: Int) {
        switch Int.random(in: 0..<(depth > 0 ? 36 : 18), using: &numbers) {
        case 0, 1:
            schema["type"] = .string(pick(["null", "boolean", "integer", "number", "string", "array", "object"]))
        case 2:
            schema["type"] = pick([
                ["string", "null"], ["integer", "string"], ["object", "array"], ["number", "boolean"],
            ])
        case 3: schema["enum"] = .array(Array(Set((0..<3).map { _ in value(1) })))
        case 4: schema["const"] = value(1)
        case 5: schema["minimum"] = JSONValue(Int.random(in: -1...4, using: &numbers))
        case 6: schema["maximum"] = JSONValue(Int.random(in: 0...5, using: &numbers))
        case 7: schema["exclusiveMinimum"] = JSONValue(Int.random(in: -1...4, using: &numbers))
        case 8: schema["exclusiveMaximum"] = JSONValue(Int.random(in: 0...5, using: &numbers))
        case 9 where areRare: schema["multipleOf"] = pick([1, 2, 3, 0.5])
        case 9: schema["minimum"] = pick([0.5, 1, 1.25])
        case 10: schema["minLength"] = JSONValue(Int.random(in: 0...3, using: &numbers))
        case 11: schema["maxLength"] = JSONValue(Int.random(in: 0...3, using: &numbers))
        case 12: schema["pattern"] = .string(pick(Self.patterns))
        case 13: schema["required"] = .array(Self.names.filter { _ in chance(40) }.map { .string($0) })
        case 14 where areRare: schema["minProperties"] = JSONValue(Int.random(in: 0...3, using: &numbers))
        case 15 where areRare: schema["maxProperties"] = JSONValue(Int.random(in: 0...3, using: &numbers))
        case 14, 15: schema["required"] = .array([.string(pick(Self.names))])
        case 16: schema["minItems"] = JSONValue(Int.random(in: 0...2, using: &numbers))
        case 17:
            schema[pick(["maxItems", "maxItems", "uniqueItems"])] = nil
            if chance(50) {
                schema["uniqueItems"] = true
            } else {
                schema["maxItems"] = JSONValue(Int.random(in: 0...2, using: &numbers))
            }
        case 18, 19, 20, 21:
            var properties = JSONObject()
            for name in Self.names where chance(60) { properties[name] = self.schema(depth - 1) }
            schema["properties"] = .object(properties)
        case 22: schema["additionalProperties"] = chance(50) ? false : self.schema(depth - 1)
        case 23 where areRare:
            schema["patternProperties"] = .object([pick(["^a", "b$", "^[cd]$"]): self.schema(depth - 1)])
        case 24 where areRare: schema["propertyNames"] = .object([pick(["maxLength", "minLength"]): 1])
        case 25: schema["items"] = self.schema(depth - 1)
        case 26 where areRare: schema["prefixItems"] = .array([self.schema(depth - 1), self.schema(depth - 1)])
        case 27:
            schema["contains"] = self.schema(depth - 1)
            if areRare, chance(30) { schema["maxContains"] = JSONValue(Int.random(in: 0...2, using: &numbers)) }
            if areRare, chance(30) { schema["minContains"] = JSONValue(Int.random(in: 0...2, using: &numbers)) }
        case 28: schema["allOf"] = .array([self.schema(depth - 1), self.schema(depth - 1)])
        case 29: schema["anyOf"] = .array([self.schema(depth - 1), self.schema(depth - 1)])
        case 30: schema["oneOf"] = .array([self.schema(depth - 1), self.schema(depth - 1)])
        case 31: schema["not"] = self.schema(depth - 1)
        case 32:
            schema["if"] = self.schema(depth - 1)
            schema["then"] = self.schema(depth - 1)
            if chance(50) { schema["else"] = self.schema(depth - 1) }
        case 33: schema["dependentRequired"] = .object([pick(Self.names): .array([.string(pick(Self.names))])])
        case 34 where areRare: schema["dependentSchemas"] = .object([pick(Self.names): self.schema(depth - 1)])
        case 35 where areRare:
            let keyword = chance(50) ? "unevaluatedItems" : "unevaluatedProperties"
            schema[keyword] = chance(70) ? false : self.schema(depth - 1)
        default: schema["not"] = .object(["const": value(1)])
        }
    }

    /// A schema with one part of it changed.
    mutating func changed(_ schema: JSONValue, _ depth: Int = 3) -> JSONValue {
        guard var object = schema.objectValue, !object.isEmpty, !chance(25) else {
            guard var object = schema.objectValue, chance(70) else { return self.schema(depth) }
            if chance(50), let key = object.keys.first { object[key] = nil } else { keyword(&object, depth) }
            return .object(object)
        }
        let key = pick(object.keys)
        switch (key, object[key]) {
        case ("properties", .object(var members)) where !members.isEmpty:
            let name = pick(members.keys)
            members[name] = changed(members[name] ?? true, depth - 1)
            object[key] = .object(members)
        case ("allOf", .array(var list)), ("anyOf", .array(var list)), ("oneOf", .array(var list)),
            ("prefixItems", .array(var list)):
            list[0] = changed(list[0], depth - 1)
            object[key] = .array(list)
        case ("items", .some(let inner)), ("not", .some(let inner)), ("if", .some(let inner)),
            ("then", .some(let inner)),
            ("contains", .some(let inner)):
            object[key] = changed(inner, depth - 1)
        default: keyword(&object, depth)
        }
        return .object(object)
    }
}
