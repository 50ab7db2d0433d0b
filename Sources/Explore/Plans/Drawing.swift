import Holdfast
import HoldfastBasics
import HoldfastJSON

/// A plan while it is drawn.
protocol Drawing {
    var chance: SplitMix64 { get set }
    var steps: [JSONValue] { get set }
    /// How many names were given.
    var names: Int { get set }
    /// How likely each move is in this plan: no two plans are about the same things.
    var weights: [Int] { get set }

    static var moves: [Move<Self>] { get }

    /// Draws a plan.
    mutating func plan(named name: String) -> Plan
    /// Draws a plan in which a scenario meets what it was not written for.
    mutating func plan(named name: String, disturbing scenario: Plan) -> Plan
    /// Takes in what is different after a step that was not drawn.
    mutating func follow(_ step: JSONValue)
}

/// Something that may come next in a plan.
struct Move<Plan>: Sendable {
    let weight: Int
    /// Whether no plan is without it.
    var isVital = false
    let draw: @Sendable (inout Plan) -> Void
}

extension Drawing {
    /// The plan of a seed: half of them are scenarios, disturbed.
    static func plan(
        seed: UInt64, of role: Role, disturbing scenarios: [Plan], _ begin: (UInt64) -> Self
    ) -> HoldfastExplore.Plan {
        let name = "\(role)/explored/\(seed)"
        var drawing = begin(seed)
        guard drawing.happens(50), let scenario = drawing.any(scenarios) else { return drawing.plan(named: name) }
        for _ in 0..<4 {
            var attempt = drawing
            let plan = attempt.plan(named: name, disturbing: scenario)
            if plan.isLawful, plan.keepsLettersApart, plan.isReadable { return plan }
            drawing.chance = attempt.chance
        }
        return drawing.plan(named: name)
    }

    mutating func happens(_ percent: Int) -> Bool { chance.number(in: 1...100) <= percent }

    mutating func any<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[chance.number(in: 0...elements.count - 1)]
    }

    mutating func one<Element>(of first: Element, _ others: Element...) -> Element {
        any([first] + others) ?? first
    }

    /// A member that is left out unless something holds; a choice between a value and nil would be null.
    func given(_ holds: Bool, _ value: JSONValue) -> JSONValue? {
        if holds { return value }
        return .none
    }

    mutating func newName(_ prefix: String) -> String {
        names += 1
        return "\(prefix)\(names)"
    }

    mutating func add(_ verb: String, _ members: (String, JSONValue?)...) {
        let all = [("do", JSONValue.string(verb))] + members.compactMap { name, value in value.map { (name, $0) } }
        steps.append(.object(JSONObject(all.map { (key: $0.0, value: $0.1) })))
    }

    mutating func drawWeights() -> [Int] {
        Self.moves.map { move in
            let factor = [0, 1, 1, 1, 2, 4][chance.number(in: 0...5)]
            return move.weight * (move.isVital ? max(1, factor) : factor)
        }
    }

    mutating func move() {
        var place = chance.number(in: 1...weights.reduce(0, +))
        for (move, weight) in zip(Self.moves, weights) {
            place -= weight
            if place <= 0 { return move.draw(&self) }
        }
    }
}
