import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastStage

protocol Planner {
    var chance: SplitMix64 { get set }
    var steps: [JSONValue] { get set }
    var names: Int { get set }
    /// The probability of each act in this plan, so that plans differ in character.
    var weights: [Int] { get set }

    static var choices: [StepChoice<Self>] { get }

    mutating func plan(named name: String) -> Plan
    mutating func plan(named name: String, disturbing scenario: Plan) -> Plan
    /// Updates the state after a step that was not drawn.
    mutating func follow(_ step: JSONValue)
}

/// A life while it is drawn, round by round; equal seeds draw equal rounds.
package protocol LifePlanner: Sendable {
    /// Draws the next round, at a share of the life's time.
    mutating func round(at share: Double) -> LifeRound
    /// Rounds as a plan of their own, with the parts of earlier ones that it needs.
    func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan
    var summary: String { get }
}

/// Something small that may happen at any moment.
struct StepChoice<Drawing>: Sendable {
    let weight: Int
    /// Whether every plan may draw it: its weight is never 0.
    var isVital = false
    /// Whether features meet in it; a life chooses these itself.
    var isLarge = false
    let draw: @Sendable (inout Drawing) -> Void
}

extension Planner {
    /// The plan of a seed; half of all plans are scenarios with additional events.
    static func plan(
        seed: UInt64, of role: Role, disturbing scenarios: [Plan], _ begin: (UInt64) -> Self
    ) -> HoldfastExplore.Plan {
        let name = "\(role)/explored/\(seed)"
        var planner = begin(seed)
        guard planner.happens(50), let scenario = planner.any(scenarios) else { return planner.plan(named: name) }
        for _ in 0..<4 {
            var attempt = planner
            let plan = attempt.plan(named: name, disturbing: scenario)
            if plan.isFair, plan.keepsLettersApart, plan.parses { return plan }
            planner.chance = attempt.chance
        }
        return planner.plan(named: name)
    }

    mutating func happens(_ percent: Int) -> Bool { chance.number(in: 1...100) <= percent }

    mutating func any<Element>(_ elements: [Element]) -> Element? { chance.any(elements) }

    mutating func one<Element>(of first: Element, _ others: Element...) -> Element {
        any([first] + others) ?? first
    }

    /// A value if a condition holds; otherwise nil, which omits the member, while a literal `nil` would be JSON null.
    func given(_ holds: Bool, _ value: JSONValue) -> JSONValue? {
        if holds { return value }
        return .none
    }

    func ref(_ name: String) -> JSONValue { .string("${\(name)}") }

    mutating func newName(_ prefix: String) -> String {
        names += 1
        return "\(prefix)\(names)"
    }

    mutating func add(_ verb: String, _ members: KeyValuePairs<String, (any JSONRepresentable)?> = [:]) {
        steps.append(JSONValue(members: ["do": verb]).adding(JSONValue(members: members)))
    }

    /// The steps that something adds, without adding them.
    mutating func drawn(_ draw: (inout Self) -> Void) -> [JSONValue] {
        let before = steps
        steps = []
        draw(&self)
        defer { steps = before }
        return steps
    }

    /// The usual weights of acts, without features.
    static var smallChoiceWeights: [Int] { choices.map { $0.isLarge ? 0 : $0.weight } }

    mutating func drawWeights() -> [Int] {
        Self.choices.map { choice in
            let factor = [0, 1, 1, 1, 2, 4][chance.number(in: 0...5)]
            return choice.weight * (choice.isVital ? max(1, factor) : factor)
        }
    }

    mutating func act() {
        var rest = chance.number(in: 1...weights.reduce(0, +))
        for (choice, weight) in zip(Self.choices, weights) {
            rest -= weight
            if rest <= 0 { return choice.draw(&self) }
        }
    }
}

extension SplitMix64 {
    mutating func any<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(in: 0...elements.count - 1)]
    }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var rest = elements
        return elements.map { _ in rest.remove(at: number(in: 0...rest.count - 1)) }
    }
}
