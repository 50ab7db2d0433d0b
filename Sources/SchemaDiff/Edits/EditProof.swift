import JSON
import JSONSchema

/// Finds out for one message which edits break whom, and shows it.
struct EditProof {
    /// What was found about one edit in one direction.
    enum Answer {
        case broken(JSONValue)
        case safe
        case unproven(String)
    }

    private let policy: ComparisonPolicy
    private let oldCount: Int
    private let newCount: Int
    /// The old version writes.
    private var toServer: Solver
    /// The new version writes.
    private var toClient: Solver

    init(old: Program, new: Program, forward: SchemaSpace, policy: ComparisonPolicy) {
        self.policy = policy
        oldCount = old.nodes.count
        newCount = new.nodes.count
        let isLenient = policy.unknownMembers == .ignored
        toServer = Solver(forward, isLenient: isLenient, stepLimit: policy.stepLimit)
        toClient = Solver(
            SchemaSpace(writer: new, reader: old), isLenient: isLenient, stepLimit: policy.stepLimit)
    }

    /// Whether an edit makes the reader refuse something that the writer may send.
    mutating func answer(_ edit: SchemaEdit, _ direction: GateDirection) -> Answer {
        let isForward = direction == .clientToServer
        var doubt: String?
        for ways in edit.breaks(direction) {
            for path in edit.paths {
                let goal = path.reversed().reduce(ways) { $1.goal($0, writerIsOld: isForward) }
                switch isForward ? ask(goal, &toServer) : ask(goal.map { $0.moved(back) }, &toClient) {
                case .broken(let value): return .broken(value)
                case .safe: break
                case .unproven(let reason): doubt = doubt ?? reason
                }
            }
        }
        return doubt.map { .unproven($0) } ?? .safe
    }

    /// Whether the reader refuses anything at all that the writer may send.
    mutating func answer(_ direction: GateDirection) -> Answer {
        direction == .clientToServer ? ask([], &toServer) : ask([], &toClient)
    }

    /// A node of the row in which the old version writes, in the row in which the new one does.
    private func back(_ node: Int) -> Int {
        node < oldCount ? node + newCount : node - oldCount
    }

    private func ask(_ goal: [Literal], _ solver: inout Solver) -> Answer {
        let (writer, reader) = (solver.space.roots[0], solver.space.roots[1])
        solver.refill(policy.stepLimit)
        // As schemas are written, most breaks show without asking for one: that is the cheaper question.
        if !goal.isEmpty, !solver.isLenient {
            switch solver.solve([.holds(writer)] + goal) {
            case .found(let value): if !solver.space.accepts(value, at: reader) { return .broken(value) }
            case .none: return .safe
            case .unknown: break
            }
            solver.refill(policy.stepLimit)
        }
        switch solver.solve([.holds(writer)] + goal + [.fails(reader)]) {
        case .found(let value): return .broken(value)
        case .none: return .safe
        case .unknown(let reason): return .unproven(reason)
        }
    }
}
