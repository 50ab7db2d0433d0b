import Holdfast
import JSON

extension Scenario {
    /// How many questions each of its principals asks, at most, as far as its text says.
    ///
    /// - Parameter budget: What a count that only the run knows stands for.
    /// - Returns: Questions by principal; those that ask none are left out.
    func chats(budget: Int) -> [String: Int] {
        var count = ChatCount(budget: budget)
        count.add(steps)
        return count.byPrincipal
    }
}

/// Adds up the questions of steps.
private struct ChatCount {
    let budget: Int
    var byPrincipal: [String: Int] = [:]
    private var owners: [String: String] = [:]
    private var rounds = 1

    init(budget: Int) {
        self.budget = budget
    }

    mutating func add(_ steps: [ScenarioStep]) {
        for step in steps { add(step.action) }
    }

    private mutating func add(_ action: ScenarioStep.Action) {
        switch action {
        case .connect(let connect): owners[connect.on] = connect.credential.principal
        case .chat(_, let lane): note(owners[lane])
        case .send(let frame, _, let lane):
            if frame["type"]?.stringValue == "chat" { note(owners[lane]) }
        case .sendText(let fragments, _, let lane):
            if fragments.joined().contains(#""chat""#) { note(owners[lane]) }
        case .postChat(_, let credential, _): note(credential.principal)
        case .http(let exchange):
            if exchange.method == "POST", exchange.path.hasPrefix("/api/chat") { note(exchange.credential.principal) }
        case .together(let branches):
            for branch in branches { add(branch) }
        case .repeat(let times, _, _, _, let steps):
            let outer = rounds
            rounds = min(rounds.multipliedReportingOverflow(by: times.intValue ?? budget).partialValue, 1 << 20)
            add(steps)
            rounds = outer
        default: break
        }
    }

    private mutating func note(_ principal: String?) { byPrincipal[principal ?? "p1", default: 0] += max(0, rounds) }
}
