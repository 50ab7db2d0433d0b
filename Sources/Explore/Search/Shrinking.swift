import Holdfast
import HoldfastJSON

/// Makes a plan as small as it can be while it still does what it did.
package struct Shrinking {
    /// How often it may be tried.
    package var attempts: Int

    package init(attempts: Int = 1_500) { self.attempts = attempts }

    /// The smallest plan that was found; nothing more can go from it, unless the attempts were used up.
    ///
    /// * `width`: How many plans are handed over at a time.
    /// * `holding`: Performs plans and says which of them is the first that still does what it did.
    package func smallest(
        _ plan: Plan, width: Int = 1, _ holding: ([Plan]) async throws -> Int?
    ) async rethrows -> Plan {
        var best = plan
        var left = attempts
        /// Tries all plans that are simpler in one way, each beginning where the last success has left off.
        func pass(_ candidates: (Plan) -> [Plan]) async throws -> Bool {
            var index = 0
            var hasShrunk = false
            while left > 0 {
                let all = candidates(best)
                var batch: [(index: Int, plan: Plan)] = []
                while index < all.count, batch.count < width {
                    if all[index] != best, all[index].isSound { batch.append((index, all[index])) }
                    index += 1
                }
                guard !batch.isEmpty else { break }
                left -= batch.count
                guard let hit = try await holding(batch.map(\.plan)) else { continue }
                (index, best) = batch[hit]
                hasShrunk = true
            }
            return hasShrunk
        }
        // Steps after the violation are removed at once.
        _ = try await pass(\.beginnings)
        var hasShrunk = true
        while hasShrunk, left > 0 {
            hasShrunk = false
            // In large pieces first, from the end.
            var size = max(1, best.steps.count / 2)
            while size >= 1 {
                let shorter = try await pass { $0.shorter(by: size) }
                hasShrunk = hasShrunk || shorter
                size /= 2
            }
            let simpler = try await pass(\.simpler)
            hasShrunk = hasShrunk || simpler
        }
        return best.tidy
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

    /// Plans that are simpler than this one in one respect, those that promise most first.
    var simpler: [Plan] {
        var plans: [Plan] = []
        func add(_ steps: [JSONValue]) {
            var plan = self
            plan.steps = steps
            plans.append(plan)
        }
        // Nothing makes a performance slower than a server of its own.
        if needsStart { add(steps.filter { !Self.processVerbs.contains($0["do"]?.stringValue ?? "") }) }
        // A device or a question with everything that speaks of it.
        for member in ["on", "as", "session"] {
            for value in Set(steps.compactMap { $0[member]?.stringValue }).sorted() {
                add(steps.filter { !($0[member]?.stringValue == value) })
            }
        }
        for simpler in simplerWorlds {
            var plan = self
            plan.world = simpler
            plans.append(plan)
        }
        for index in steps.indices {
            for replacement in Self.simpler(steps[index]) {
                var copy = steps
                copy.replaceSubrange(index...index, with: replacement)
                add(copy)
            }
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

    /// Smaller contents of a scripted server: none, or one conversation or part less.
    private var simplerWorlds: [JSONValue?] {
        guard let world, let members = world.objectValue else { return [] }
        var all: [JSONValue?] = [JSONValue?.none]
        for name in members.keys {
            var fewer = world
            fewer[name] = nil
            all.append(fewer)
        }
        let sessions = world["sessions"]?.arrayValue ?? []
        for index in sessions.indices {
            var fewer = world
            var left = sessions
            left.remove(at: index)
            fewer["sessions"] = .array(left)
            all.append(fewer)
        }
        return all
    }

    /// Steps that do a little less than one does.
    private static func simpler(_ step: JSONValue) -> [[JSONValue]] {
        var all: [[JSONValue]] = []
        func change(_ member: String, to value: JSONValue?) {
            var copy = step
            copy[member] = value
            if copy != step { all.append([copy]) }
        }
        if let branches = step["branches"]?.arrayValue?.map({ $0.arrayValue ?? [] }) {
            all.append(branches.flatMap { $0 })
            for (index, branch) in branches.enumerated() {
                var fewer = branches
                fewer.remove(at: index)
                if fewer.count > 1 { change("branches", to: .array(fewer.map { .array($0) })) }
                for place in branch.indices {
                    var shorter = branches
                    shorter[index].remove(at: place)
                    if !shorter[index].isEmpty { change("branches", to: .array(shorter.map { .array($0) })) }
                    for replacement in simpler(branch[place]) {
                        var copy = branches
                        copy[index].replaceSubrange(place...place, with: replacement)
                        change("branches", to: .array(copy.map { .array($0) }))
                    }
                }
            }
        }
        if let times = step["times"]?.intValue {
            for fewer in [1, times / 2, times - 1] where fewer > 0 && fewer < times {
                change("times", to: JSONValue(fewer))
            }
            change("parallel", to: nil)
        }
        for member in [
            "context", "extra", "limit", "save", "where", "after", "input", "principal", "session", "epoch", "opened",
            "cut", "to", "turn", "code", "greeting", "new", "tool",
        ]
        where step[member] != nil { change(member, to: nil) }
        if let script = step["script"]?.arrayValue {
            change("script", to: [["reply": "x"]])
            for index in script.indices where script.count > 1 {
                var shorter = script
                shorter.remove(at: index)
                change("script", to: .array(shorter))
            }
            for (index, part) in script.enumerated() {
                for simple in simplerParts(of: part) {
                    var copy = script
                    copy[index] = simple
                    change("script", to: .array(copy))
                }
            }
        }
        if let text = step["text"]?.stringValue, text != "x", step["do"] != "sendText" { change("text", to: "x") }
        if let how = step["how"]?.stringValue, how != "fin" { change("how", to: "fin") }
        for member in ["for", "milliseconds"] {
            guard let time = step[member]?.intValue, time > 1 else { continue }
            for less in [1, time / 4] where less > 0 { change(member, to: JSONValue(less)) }
        }
        if let time = step["for"]?["milliseconds"]?.intValue, time > 1 {
            for less in [1, time / 4] where less > 0 { change("for", to: ["milliseconds": JSONValue(less)]) }
        }
        if let position = step["lastSeqSeen"], position != 0 { change("lastSeqSeen", to: 0) }
        return all
    }

    private static func simplerParts(of part: JSONValue) -> [JSONValue] {
        if let wait = part["wait"]?.intValue, wait > 1 { return [["wait": 1], ["wait": JSONValue(wait / 2)]] }
        if part["tool"] != nil { return part == ["tool": "t"] ? [] : [["tool": "t"]] }
        guard let reply = part["reply"]?.stringValue, reply != "x" else { return [] }
        let half = String(reply.prefix(reply.count / 2))
        return [["reply": "x"]] + (reply.count > 3 ? [["reply": .string(half)]] : [])
    }

    /// The same plan with names counted anew in the order in which they come.
    var tidy: Plan { named(after: 0) }

    /// The same plan with names counted from a number on.
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
        return plan.isReadable ? plan : self
    }
}
