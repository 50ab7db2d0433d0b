import HoldfastJSON
import HoldfastJSONSchema

/// Finds out which edits of one message break a peer, and proves it.
struct EditProof {
    enum Answer {
        case broken(JSONValue)
        case safe
        case unproven(String)

        var isBroken: Bool { if case .broken = self { true } else { false } }

        var isSafe: Bool { if case .safe = self { true } else { false } }
    }

    private let stepLimit: Int
    /// The old version writes.
    private var toServer: Solver
    /// The new version writes.
    private var toClient: Solver

    init(_ space: SchemaSpace, policy: ComparisonPolicy) {
        stepLimit = policy.stepLimit
        let isLenient = policy.unknownMembers == .ignored
        toServer = Solver(space, writer: SchemaSpace.old, isLenient: isLenient, stepLimit: stepLimit)
        toClient = Solver(space, writer: SchemaSpace.new, isLenient: isLenient, stepLimit: stepLimit)
    }

    /// Whether an edit makes the reader reject something that the writer may send.
    mutating func answer(_ edit: SchemaEdit, _ direction: GateDirection) -> Answer {
        var doubt: Answer?
        for ways in edit.breaks(direction) {
            for path in edit.paths {
                let goal = path.reversed().reduce(ways) { $1.goal($0, writerIsOld: direction == .clientToServer) }
                let answer = answer(direction, goal)
                switch answer {
                case .broken: return answer
                case .safe: break
                case .unproven: doubt = doubt ?? answer
                }
            }
        }
        return doubt ?? .safe
    }

    /// Whether the reader rejects anything that the writer may send and that meets the goal.
    mutating func answer(_ direction: GateDirection, _ goal: [Literal] = []) -> Answer {
        direction == .clientToServer ? ask(goal, &toServer) : ask(goal, &toClient)
    }

    private func ask(_ goal: [Literal], _ solver: inout Solver) -> Answer {
        let writer = solver.space.roots[solver.writer]
        let reader = solver.space.roots[1 - solver.writer]
        solver.refill(stepLimit)
        // Asking without `fails(reader)` is cheaper, and in most schemas the value found shows a break.
        if !goal.isEmpty, !solver.isLenient {
            switch solver.solve([.holds(writer)] + goal) {
            case .found(let value): if !solver.space.accepts(value, at: reader) { return .broken(value) }
            case .none: return .safe
            case .unknown: break
            }
            solver.refill(stepLimit)
        }
        switch solver.solve([.holds(writer)] + goal + [.fails(reader)]) {
        case .found(let value): return .broken(value)
        case .none: return .safe
        case .unknown(let reason): return .unproven(reason)
        }
    }
}
