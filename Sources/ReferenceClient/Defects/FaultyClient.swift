import HoldfastJSON

/// A client core behind what is wrong with it: layers that change what it is told, what it does and what it shows.
///
/// The core knows of none of them. A healthy client has none, and its core is told at once.
package struct FaultyClient: Sendable {
    var core: ClientCore
    var notes = Notes()
    private var layers: [ClientFault.Layer] = []
    private var screens: [@Sendable (inout Screen, FaultyClient) -> Void] = []

    /// What layers remember between two inputs.
    struct Notes: Sendable {
        var marks: Set<String> = []
        var oldSocket: Int?
        /// What is still to be stored.
        var unsaved: ClientMemory?
    }

    /// A client that knows what an earlier run of it has stored, behind some defects.
    package init(rules: ClientRules, memory: String? = nil, dice: Dice = Dice(), defects: Set<ClientDefect> = []) {
        var rules = rules
        for fault in ClientDefect.all.filter(defects.contains).flatMap(\.faults) {
            switch fault {
            case .rules(let change): change(&rules)
            case .layer(let layer): layers.append(layer)
            case .screen(let change): screens.append(change)
            }
        }
        core = ClientCore(rules: rules, memory: memory, dice: dice)
    }

    /// Takes in what happened and tells what to do about it, in order.
    package mutating func handle(_ input: Input, at moment: Int) -> [Effect] {
        core.now = moment
        return through(0, input, at: moment)
    }

    private mutating func through(_ index: Int, _ input: Input, at moment: Int) -> [Effect] {
        guard index < layers.count else { return core.handle(input, at: moment) }
        return layers[index](input, &self) { input, client in client.through(index + 1, input, at: moment) }
    }

    /// What is to be done when the system says that it ends the app; a healthy client has stored everything by then.
    package mutating func farewell() -> [Effect] {
        defer { notes.unsaved = nil }
        return notes.unsaved.map { [.save($0)] } ?? []
    }

    package var screen: Screen { screens.reduce(into: core.screen) { $1(&$0, self) } }

    // MARK: what layers use

    /// The frame that a text message of the live connection brings.
    func frame(in input: Input) -> JSONValue? {
        guard case .received(let socket, let text) = input, core.link.socket == socket else { return nil }
        return ClientCore.object(text)
    }

    /// Whether an input is the `connected` that a connection waits for.
    func isGreeting(_ input: Input) -> Bool {
        guard case .greeting = core.link.phase else { return false }
        return frame(in: input)?.type == "connected"
    }

    /// The conversation whose history could not be read.
    func failedRead(in input: Input) -> Int? {
        guard case .answered(let request, let answer?) = input, answer.status >= 500,
            case .read(_, let number)? = core.errands[request]
        else { return nil }
        return number
    }

    /// The answer to a read of a history: its conversation and its messages.
    func read(in input: Input) -> (conversation: Int, session: String, messages: [Message])? {
        guard case .answered(let request, let answer?) = input, answer.status == 200,
            case .read(let session, let number)? = core.errands[request],
            let history = ClientCore.object(answer.body)?["session"], history.text("id") == session
        else { return nil }
        return (number, session, ClientCore.messages(of: history))
    }
}
