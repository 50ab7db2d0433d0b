import Holdfast
import HoldfastJSON

/// Makes a plan as small as possible while it still has the same effect.
package struct Shrinking {
    package var attempts: Int

    package init(attempts: Int = 1_500) { self.attempts = attempts }

    /// The smallest plan found; no single step can be removed from it, unless the attempts were used up.
    ///
    /// * `width`: The number of plans to perform at a time.
    /// * `holding`: Performs plans and returns the first of them that still has the effect.
    package func smallest(
        _ plan: Plan, width: Int = 1, _ holding: ([Plan]) async throws -> Int?
    ) async rethrows -> Plan {
        var best = plan
        var left = attempts
        /// Tries all plans that are simpler in one respect, each pass continuing after the last success.
        func pass(_ candidates: (Plan) -> [Plan]) async throws -> Bool {
            var (index, all) = (0, candidates(best))
            var hasShrunk = false
            while left > 0 {
                var batch: [(index: Int, plan: Plan)] = []
                while index < all.count, batch.count < width {
                    if all[index] != best, all[index].isSound { batch.append((index, all[index])) }
                    index += 1
                }
                guard !batch.isEmpty else { break }
                left -= batch.count
                guard let hit = try await holding(batch.map(\.plan)) else { continue }
                (index, best) = batch[hit]
                all = candidates(best)
                hasShrunk = true
            }
            return hasShrunk
        }
        // Steps after the violation are removed at once.
        _ = try await pass(\.beginnings)
        var hasShrunk = true
        while hasShrunk, left > 0 {
            hasShrunk = false
            // Steps are removed in large pieces first, from the end.
            var size = max(1, best.steps.count / 2)
            while size >= 1 {
                let shorter = try await pass { $0.shorter(by: size) }
                hasShrunk = hasShrunk || shorter
                size /= 2
            }
            let simpler = try await pass(\.simpler)
            hasShrunk = hasShrunk || simpler
        }
        return best.named(after: 0)
    }
}

extension Plan {
    /// Plans that end earlier, the shortest first.
    var beginnings: [Plan] {
        let parts = 12
        return (1..<parts).map { part in
            var plan = self
            plan.steps.removeLast(steps.count * (parts - part) / parts)
            return plan
        }
    }

    /// Plans without some steps that follow each other, the last ones first.
    func shorter(by size: Int) -> [Plan] {
        stride(from: steps.count, to: 0, by: -size).map { end in
            var plan = self
            plan.steps.removeSubrange(max(0, end - size)..<end)
            return plan
        }
    }

    /// Plans that are simpler than this one in one respect, the most promising first.
    var simpler: [Plan] {
        var plans: [Plan] = []
        func add(_ steps: some Sequence<JSONValue>) {
            var plan = self
            plan.steps = Array(steps)
            plans.append(plan)
        }
        // Nothing makes a run slower than a separate server.
        if needsStart { add(steps.filter { !Self.processVerbs.contains($0["do"]?.stringValue ?? "") }) }
        // A device or a question, with every step that uses it.
        for member in ["on", "as", "session"] {
            for value in Set(steps.compactMap { $0[member]?.stringValue }).sorted() {
                add(steps.filter { !($0[member]?.stringValue == value) })
            }
        }
        for simpler in [nil] + (world.map { Self.simpler($0, to: 2) } ?? []) where simpler != world {
            var plan = self
            plan.world = simpler
            plans.append(plan)
        }
        for index in steps.indices {
            let branches = steps[index]["branches"]?.arrayValue ?? []
            if !branches.isEmpty {
                add(steps[..<index] + branches.flatMap { $0.arrayValue ?? [] } + steps[(index + 1)...])
            }
            for simpler in Self.simpler(steps[index]) { add(steps[..<index] + [simpler] + steps[(index + 1)...]) }
        }
        if principals > 1 {
            var plan = self
            plan.principals -= 1
            plans.append(plan)
        }
        for profile in profiles.sorted() {
            var plan = self
            plan.profiles.remove(profile)
            plans.append(plan)
        }
        return plans
    }

    /// Simpler forms of a value; many of them are not valid in its place.
    ///
    /// * `depth`: The number of levels in which members and elements may be omitted or simplified.
    private static func simpler(_ value: JSONValue, to depth: Int = 6) -> [JSONValue] {
        guard depth > 0 else { return [] }
        switch value {
        case .object(let object):
            // With a different value of these members it would be a different step.
            let members = object.filter { !["do", "on", "as"].contains($0.key) }
            func with(_ name: String, _ inner: JSONValue?) -> JSONValue {
                var copy = value
                copy[name] = inner
                return copy
            }
            return members.map { with($0.key, nil) }
                + members.flatMap { member in simpler(member.value, to: depth - 1).map { with(member.key, $0) } }
        case .array(let elements):
            func with(_ index: Int, _ inner: [JSONValue]) -> JSONValue {
                .array(elements[..<index] + inner + elements[(index + 1)...])
            }
            return elements.indices.map { with($0, []) }
                + elements.indices.flatMap { index in simpler(elements[index], to: depth - 1).map { with(index, [$0]) }
                }
        case .string(let text):
            let half = text.count > 3 ? [JSONValue.string(String(text.prefix(text.count / 2)))] : []
            return text == "x" ? [] : ["x"] + half
        default:
            guard let number = value.intValue, number > 0 else { return [] }
            return Set([0, 1, number / 4, number - 1]).filter { $0 < number }.sorted().map { JSONValue($0) }
        }
    }

    /// The same plan, with names renumbered from a number on.
    func named(after number: Int) -> Plan {
        // Names in a client's scenario occur in many places, and are few.
        if role == .client { return self }
        var names: [String: String] = [:]
        var counts: [Character: Int] = [:]
        func isName(_ text: Substring) -> Bool {
            guard let first = text.first, "censkm".contains(first) else { return false }
            return !text.dropFirst().isEmpty && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
        }
        func renamed(_ name: Substring) -> String {
            guard isName(name), let first = name.first else { return String(name) }
            if let known = names[String(name)] { return known }
            counts[first, default: number] += 1
            let new = "\(first)\(counts[first, default: number])"
            names[String(name)] = new
            return new
        }
        func filled(_ text: String) -> String {
            guard let dollar = text.firstRange(of: "${"), let end = text[dollar.upperBound...].firstIndex(of: "}")
            else {
                return text
            }
            let inner = text[dollar.upperBound..<end]
            let name = inner.prefix { $0.isLetter || $0.isNumber }
            return text[..<dollar.upperBound] + renamed(name) + inner[name.endIndex...] + "}"
                + filled(String(text[text.index(after: end)...]))
        }
        func tidied(_ value: JSONValue, of member: String? = nil) -> JSONValue {
            switch value {
            case .string(let text): return .string(member == "as" ? renamed(text[...]) : filled(text))
            case .array(let elements): return .array(elements.map { tidied($0, of: member) })
            case .object(let object):
                return .object(
                    JSONObject(
                        object.map {
                            (key: member == "save" ? renamed($0.key[...]) : $0.key, value: tidied($0.value, of: $0.key))
                        }))
            default: return value
            }
        }
        var plan = self
        plan.steps = steps.map { tidied($0) }
        return plan.parses ? plan : self
    }
}
