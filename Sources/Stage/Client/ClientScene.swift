import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The place where the steps of a client scenario are performed: the stage, or a simulation with its own clock.
package protocol ClientScene: AnyObject {
    var scenario: ClientScenario { get }
    /// A unique text for `${run}` in a scenario.
    var run: String { get }
    func limit(_ name: String) -> Duration
    func notes<Result: Sendable>(_ body: (inout ClientNotes) -> Result) -> Result
    func note(done act: ClientAct)
    func record(_ kind: Event.Kind, on lane: Lane)
    /// The number of the latest arrival.
    var lastArrival: Int { get }
    /// Reads or changes the scripted server, and performs the resulting effects.
    @discardableResult
    func act<Result: Sendable>(_ body: @Sendable (inout ServerWorld) -> Result) -> Result
}

package struct ClientNotes: Sendable {
    /// The messages of the person, in order; `mark` is the number of the latest arrival before each.
    var sent: [(name: String, text: String, mark: Int)] = []
    private var launches = 0
    package var condition = ClientCondition()
    /// Arrivals with larger numbers are new.
    package var mark = 0
    package var sampling = ScreenSampling()

    package init() {}

    /// Starts a new record of screens; returns whether this is the app's first start.
    mutating func countLaunch() -> Bool {
        sampling = ScreenSampling()
        launches += 1
        return launches == 1
    }
}

extension ClientScene {
    var sent: [(name: String, text: String, mark: Int)] { notes { $0.sent } }
    var condition: ClientCondition { notes { $0.condition } }

    /// Sets the mark: later waits accept only arrivals after it.
    func setMark() {
        let mark = lastArrival
        notes { $0.mark = mark }
    }

    /// The mark of a wait.
    ///
    /// A question cannot come before the person sent it: an earlier resend of the same text does not count.
    package func mark(of awaited: AwaitedArrival) -> Int {
        guard awaited.isLasting else { return notes { $0.mark } }
        return sent.last { $0.name == awaited.name }?.mark ?? 0
    }

    /// The text of a message that the person sent, and its index among messages with the same text.
    private func sent(_ name: String) -> (text: String, number: Int)? {
        let sent = sent
        guard let index = sent.lastIndex(where: { $0.name == name }) else { return nil }
        let text = sent[index].text
        return (text, sent[..<index].filter { $0.text == text && $0.name != name }.count)
    }

    package func named(_ name: String) -> ClientScreen.Named {
        guard let sent = sent(name) else {
            let text = act { world in
                world.stored(name).map { MessageContent.text(of: $0.content) }
            }
            return ClientScreen.Named(id: name, text: text)
        }
        let (key, before) = act { world in
            let before = sent.number > 0 ? world.key(of: sent.text, number: sent.number - 1) : nil
            return (world.key(of: sent.text, number: sent.number), before)
        }
        // A message that was not sent yet does not have the key of the one before it.
        return ClientScreen.Named(key: key == before ? nil : key, text: sent.text, number: sent.number)
    }

    /// The turn of a message of the person, once its question has arrived.
    func turn(of name: String) -> Int? {
        guard let sent = sent(name) else { return nil }
        return act { world in world.key(of: sent.text, number: sent.number).flatMap { world.turnByKey[$0] } }
    }

    func variables(with local: ScenarioVariables) -> ScenarioVariables {
        let run = run
        var variables = act { world in
            let turn = world.turns[world.latestTurn]
            var variables = ScenarioVariables()
            variables["run"] = .string(run)
            variables["epoch"] = .string(world.epoch)
            variables["lastSeq"] = JSONValue(world.lastSeq)
            variables["turn"] = JSONValue(world.latestTurn)
            variables["next"] = JSONValue(world.lastTurn + 1)
            variables["key"] = turn?.question.map { .string($0.key) }
            variables["session"] = turn.map { .string($0.session) }
            variables["text"] = turn?.question.map { .string($0.text) }
            return variables
        }
        for name in Set(sent.map(\.name)) {
            let named = named(name)
            variables["text.\(name)"] = named.text.map { .string($0) }
            variables["key.\(name)"] = named.key.map { .string($0) }
            guard let number = turn(of: name) else { continue }
            variables["turn.\(name)"] = JSONValue(number)
            variables["session.\(name)"] = act { $0.turns[number].map { .string($0.session) } }
        }
        return variables.overlaid(by: local)
    }

    /// Whether a question is the message with a name: by its key if that is known, else by its text.
    func isQuestion(_ arrival: WorldArrival, named name: String) -> Bool {
        let named = named(name)
        guard named.id == nil else { return false }
        if let key = named.key, arrival.key == key { return true }
        guard arrival.text == named.text else { return false }
        return named.key == nil || arrival.key == nil || sent.filter { $0.text == named.text }.count == 1
    }
}
