import HoldfastBasics
import HoldfastJSON

/// Tracks the names and connections of a scenario in text order, to find mistakes before it is performed.
final class ScenarioFlow {
    private var names: Set<String>
    /// The prefixes of names that end with a counter: `c` for `c${i}`.
    private var families: Set<String> = []
    private var lanes: Set<String> = []
    /// The connections whose latest question makes its agent fail.
    private var failures: Set<String> = []
    private let principals: Int
    let problems: ProblemCollector

    init(principals: Int, collector: ProblemCollector) {
        self.principals = principals
        problems = collector
        names = Set(["run", "kills", "authSeconds"] + (1...max(1, principals)).map { "p\($0)Token" })
    }

    /// A flow without connections and principals; the given names have values from the start.
    init(names: [String], collector: ProblemCollector) {
        principals = 1
        problems = collector
        self.names = Set(names)
    }

    func define(_ name: String) {
        if let dollar = name.firstIndex(of: "$") {
            families.insert(String(name[..<dollar]))
        } else {
            names.insert(name)
        }
    }

    func open(_ lane: String) {
        if !lane.isEmpty { lanes.insert(lane) }
    }

    /// Notes whether the latest question of a connection makes its agent fail.
    func ask(_ lane: String, failing: Bool) {
        if failing { failures.insert(lane) } else { failures.remove(lane) }
    }

    /// Whether an error on a connection may end a turn.
    func isFailing(_ lane: String) -> Bool { failures.contains(lane) }

    /// Notes a problem if no earlier step opened the connection.
    func useLane(_ lane: String, at pointer: JSONPointer) {
        guard !lanes.contains(lane) else { return }
        problems.note(
            pointer, "connection '\(excerpt(lane))' is not open here",
            expected: lanes.isEmpty ? "a connect step before" : lanes.sorted().joined(separator: ", "),
            fix: "add a connect step before this one")
    }

    /// Notes a problem if the scenario does not request the principal.
    func usePrincipal(_ principal: String, at pointer: JSONPointer) {
        let known = (1...max(1, principals)).map { "p\($0)" }
        guard !known.contains(principal) else { return }
        problems.note(
            pointer, "principal '\(excerpt(principal))' is not in /needs", expected: known.joined(separator: ", "),
            fix: "raise /needs/principals, or correct the name")
    }

    /// Notes each reference in a step to a name without a value.
    ///
    /// A step's counter is known only inside it, so its nested steps check themselves.
    func use(_ step: MemberReader, besides known: Set<String>) {
        for member in step.object where !known.contains(member.key) {
            if ["do", "note", "profile", "keys"].contains(member.key) { continue }
            use(member.value, at: step.pointer.appending(member.key))
        }
    }

    /// Notes each reference in a value to a name without a value.
    func use(_ value: JSONValue, at pointer: JSONPointer) {
        switch value {
        case .string(let text): use(text, at: pointer)
        case .array(let elements):
            for (index, element) in elements.enumerated() { use(element, at: pointer.appending(index)) }
        case .object(let object):
            for member in object { use(member.value, at: pointer.appending(member.key)) }
        default: break
        }
    }

    private func use(_ text: String, at pointer: JSONPointer) {
        let parts: [ScenarioVariables.Part]
        do {
            parts = try ScenarioVariables.parts(of: text)
        } catch {
            problems.note(
                pointer, "'\(excerpt(text))' has an invalid reference",
                expected: "${name}, ${name+1} or ${name-1}", fix: "correct the reference")
            return
        }
        for case .reference(let reference) in parts where !isKnown(reference.name) {
            problems.note(
                pointer, "no earlier step sets '\(excerpt(reference.name))'", insteadOf: reference.name, among: names,
                otherwise: "save it in an earlier step")
        }
    }

    private func isKnown(_ name: String) -> Bool {
        names.contains(name) || families.contains { name.hasPrefix($0) && Int(name.dropFirst($0.count)) != nil }
    }
}
