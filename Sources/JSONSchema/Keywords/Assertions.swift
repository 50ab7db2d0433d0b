import HoldfastBasics
import HoldfastJSON

extension Keyword {
    /// Whether a fault of this keyword says that the value has the wrong type.
    var checksType: Bool {
        switch self {
        case .type, .const, .enumeration: true
        default: false
        }
    }
}

extension Evaluation {
    mutating func check(
        _ keyword: Keyword, _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .type(let types):
            if types.admits(value) { return true }
            // "number instead of integer" would not say that the fraction is wrong.
            report(.type(found: found(value, instead: types), types), value, node, ["type"])
            return false
        case .const(let constant):
            if value == constant { return true }
            report(.const(constant), value, node, ["const"])
            return false
        case .enumeration(let values):
            if values.contains(value) { return true }
            let nearest = explains ? nearestName(value, values) : nil
            report(.enumeration(values, nearest: nearest), value, node, ["enum"])
            return false
        case .reference, .dynamicReference: return reference(keyword, value, &marks)
        case .allOf, .not, .condition, .dependentSchemas: return applicator(keyword, value, node, &marks)
        case .anyOf(let nodes, let discriminator):
            return alternatives("anyOf", nodes, discriminator, value, node, &marks)
        case .oneOf(let nodes, let discriminator):
            return alternatives("oneOf", nodes, discriminator, value, node, &marks)
        default: break
        }
        switch value {
        case .number(let number): return check(keyword, number, value, node)
        case .string(let string): return check(keyword, string, value, node)
        case .array(let values): return check(keyword, values, value, node, &marks)
        case .object(let object): return check(keyword, object, value, node, &marks)
        default: return true
        }
    }

    private func found(_ value: JSONValue, instead types: TypeSet) -> String {
        if case .number = value, types.contains(.integer) { return "a number with a fraction" }
        return value.typeName
    }

    private func nearestName(_ value: JSONValue, _ values: [JSONValue]) -> String? {
        guard case .string(let string) = value else { return nil }
        return HoldfastBasics.nearestName(to: string, among: values.compactMap(\.stringValue))
    }

    private mutating func check(
        _ keyword: Keyword, _ number: JSONNumber, _ value: JSONValue, _ node: Program.Node
    ) -> Bool {
        switch keyword {
        case .minimum(let bound):
            return number >= bound || fail(.range("at least", bound), value, node, "minimum")
        case .maximum(let bound):
            return number <= bound || fail(.range("at most", bound), value, node, "maximum")
        case .exclusiveMinimum(let bound):
            return number > bound || fail(.range("above", bound), value, node, "exclusiveMinimum")
        case .exclusiveMaximum(let bound):
            return number < bound || fail(.range("below", bound), value, node, "exclusiveMaximum")
        case .multipleOf(let unit):
            return number.isMultiple(of: unit) || fail(.multipleOf(unit), value, node, "multipleOf")
        default: return true
        }
    }

    private mutating func check(
        _ keyword: Keyword, _ string: String, _ value: JSONValue, _ node: Program.Node
    ) -> Bool {
        switch keyword {
        case .minLength(let limit):
            let count = string.unicodeScalars.count
            return count >= limit
                || fail(.count("characters", found: count, limit: limit), value, node, "minLength")
        case .maxLength(let limit):
            let count = string.unicodeScalars.count
            return count <= limit
                || fail(.count("characters", found: count, limit: limit), value, node, "maxLength")
        case .pattern(let pattern):
            return pattern.matches(string) || fail(.pattern(pattern.text), value, node, "pattern")
        case .format(let format):
            return format.accepts(string) || fail(.format(format), value, node, "format")
        default: return true
        }
    }

    /// Reports a fault and returns false, so that a check reads as a condition.
    mutating func fail(_ fault: Fault, _ value: JSONValue, _ node: Program.Node, _ keyword: String...) -> Bool {
        report(fault, value, node, keyword)
        return false
    }
}
