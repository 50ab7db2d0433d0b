import HoldfastJSON

/// A client core behind its faults: layers that change inputs, effects and the screen.
///
/// The core is unaware of them. A healthy client has none, and inputs go straight to its core.
package struct FaultyClient: Sendable {
    var core: ClientCore
    var notes = Notes()
    private var layers: [ClientFault.Layer] = []
    private var screens: [@Sendable (inout Screen, FaultyClient) -> Void] = []

    struct Notes: Sendable {
        var marks: Set<String> = []
        var oldSocket: Int?
        /// Saved when the app goes to the background or the system ends it.
        var unsaved: ClientMemory?
    }

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

    package mutating func handle(_ input: Input, at moment: Int) -> [Effect] {
        core.now = moment
        return through(0, input, at: moment)
    }

    private mutating func through(_ index: Int, _ input: Input, at moment: Int) -> [Effect] {
        guard index < layers.count else { return core.handle(input, at: moment) }
        return layers[index](input, &self) { input, client in client.through(index + 1, input, at: moment) }
    }

    /// The effects when the system ends the app; a healthy client has already saved everything.
    package mutating func farewell() -> [Effect] {
        defer { notes.unsaved = nil }
        return notes.unsaved.map { [.save($0)] } ?? []
    }

    package var screen: Screen { screens.reduce(into: core.screen) { $1(&$0, self) } }

    // MARK: what layers use

    func frame(in input: Input) -> JSONValue? {
        guard case .received(let socket, let text) = input, core.link.socket == socket else { return nil }
        return ClientCore.object(text)
    }

    func isGreeting(_ input: Input) -> Bool {
        guard case .greeting = core.link.phase else { return false }
        return frame(in: input)?.type == "connected"
    }

    func failedRead(in input: Input) -> Int? {
        guard case .answered(let request, let answer?) = input, answer.status >= 500,
            case .read(_, let number)? = core.purposes[request]
        else { return nil }
        return number
    }

    func read(in input: Input) -> (conversation: Int, session: String, messages: [Message])? {
        guard case .answered(let request, let answer?) = input, answer.status == 200,
            case .read(let session, let number)? = core.purposes[request],
            let history = ClientCore.object(answer.body)?["session"], history.text("id") == session
        else { return nil }
        return (number, session, ClientCore.messages(of: history))
    }
}
