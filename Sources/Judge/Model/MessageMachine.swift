import Holdfast
import HoldfastTranscript

/// One message of the person, and every state that `Spec/states/client.json` allows it to be in.
///
/// The client may process a frame at any moment between the event that sent it and the event by which the client
/// certainly has it. Each sample of the screen rules out the worlds that do not fit the sample.
final class MessageMachine {
    struct World: Hashable {
        /// The row that led to the state; nil before any row applied.
        var row: Int?
        /// The step that caused that row; nil if the client itself did.
        var cause: Int?
        /// Whether the client has learned that the server has the message.
        var isProved = false
        /// Whether a sample has shown the message, and not as failed.
        var isSeen = false
        /// The parts that the row requires and the screen has already shown.
        var shown: Set<MessageModel.Part> = []
        /// The steps that have happened, but that the client may not have processed yet.
        var pending: Set<Int> = []
    }

    struct Step {
        let event: Int
        /// The input of the state table.
        let input: String
        /// The sign that the client received; nil for a step that the stage itself sees.
        var sign: ClientQuestion.Sign?
        /// The event by which the client has processed it, or never will.
        var due = 0
        /// Whether the client has certainly processed it by then.
        var isSure = true

        var isSending: Bool { input == "road.socket" || input == "road.rest" }
    }

    let question: ClientQuestion
    let steps: [Step]
    private let table: StateTable
    /// The parts that the screen must show after each row.
    private let owed: [Set<MessageModel.Part>]
    /// The event at which the client loses its stored data, or at which a resend makes it a separate message.
    let end: Int
    /// Whether no other message has its text.
    let hasOwnWords: Bool
    /// The period in which a client may not give the message up by itself.
    let mustWait: Range<Int>
    var worlds: Set<World> = [World()]
    /// Whether there were too many worlds to follow, so that no sample proves anything.
    private(set) var isLost = false
    /// Whether the message's session was shown as waiting when it was last seen.
    var isAwaited = false
    /// Whether the last sample showed it as failed, or beside an error that names it.
    var hasFailed = false
    /// The evidence already recorded, by rule, cause and kind.
    var judged: Set<[Int]> = []
    private var next = 0

    /// More worlds than any history of a stage needs.
    private static let limit = 64

    init(_ question: ClientQuestion, _ table: StateTable, _ owed: [Set<MessageModel.Part>], in history: Observations) {
        (self.question, self.table, self.owed) = (question, table, owed)
        let others = history.clientQuestions.filter { $0.event != question.event }
        let renewal = question.repeats.first { act in others.contains { $0.typed == act } } ?? .max
        end = min(renewal, history.endOfData(at: question.event))
        hasOwnWords = !others.contains { $0.hasText(question.text) }
        mustWait = history.wait(for: question)
        steps = history.steps(of: question)
    }

    // MARK: Reading a world

    private func state(of world: World) -> String { world.row.map { table.rows[$0].next } ?? "typed" }

    func owes(_ part: MessageModel.Part, in world: World) -> Bool { world.row.map { owed[$0].contains(part) } == true }

    func isDue(_ world: World) -> Bool { world.pending.contains { steps[$0].isSure } }

    var maySend: Bool {
        worlds.contains { world in
            ["road.socket", "retryAfter.over"].contains { !table.places(of: state(of: world), $0).isEmpty }
        }
    }

    /// The row of a world in words, such as "in 'refused', after 'refusal.busy'".
    func words(_ world: World) -> String {
        "in '\(state(of: world))'" + (world.cause.map { ", after '\(steps[$0].input)'" } ?? "")
    }

    // MARK: Ruling worlds out

    /// Keeps only the worlds that meet a condition, if any do.
    func prefer(_ condition: (World) -> Bool) {
        let matching = worlds.filter(condition)
        if !matching.isEmpty { worlds = matching }
    }

    /// Records that the screen shows the message as failed: after an error, or because the client gave it up by itself.
    ///
    /// A client must not give up a running turn while the connection that brought its ack is open.
    func showsFailed(at event: Int) {
        prefer { owes(.errors, in: $0) }
        worlds = Set(
            worlds.flatMap { world -> [World] in
                if owes(.answered, in: world), world.isSeen, mustWait.contains(event) { return [world] }
                let rows = table.places(of: state(of: world), "polling.over")
                let abandoned = rows.map { moved(world, along: $0, by: nil) }
                return abandoned.isEmpty || !owes(.answered, in: world) ? abandoned + [world] : abandoned
            })
    }

    func changed(_ change: (inout World) -> Void) -> Set<World> {
        Set(
            worlds.map { world in
                var world = world
                change(&world)
                return world
            })
    }

    // MARK: Moving on

    func advance(to event: Int) {
        guard !isLost else { return }
        while next < steps.count, steps[next].event < event {
            let step = steps[next]
            applyDueSteps(upTo: step.event)
            worlds =
                step.sign == nil
                ? Set(reachableWorlds().flatMap { after(next, in: $0) })
                : changed { $0.pending.insert(next) }
            if step.isSending { hasFailed = false }
            if step.input == "quit" { isAwaited = false }
            next += 1
        }
        applyDueSteps(upTo: event)
        worlds = reachableWorlds()
    }

    /// Applies the steps that are due by an event: the client has processed them by then, or never will.
    private func applyDueSteps(upTo event: Int) {
        while let first = worlds.flatMap(\.pending).filter({ steps[$0].due <= event }).min() {
            worlds = Set(
                worlds.flatMap { world -> [World] in
                    var rest = world
                    guard rest.pending.remove(first) != nil else { return [world] }
                    return after(first, in: rest) + (steps[first].isSure ? [] : [rest])
                })
        }
    }

    /// The worlds, and those in which the client has processed more of the pending steps; it processes the steps of one
    /// connection in order.
    private func reachableWorlds() -> Set<World> {
        var (all, unexplored) = (worlds, Array(worlds))
        while let world = unexplored.popLast() {
            guard all.count < Self.limit else {
                isLost = true
                break
            }
            var used: Set<Int> = []
            var inputs: Set<String> = []
            for step in world.pending.sorted() {
                // Each response arrives independently of the others.
                if let index = steps[step].sign?.connection, !used.insert(index).inserted { continue }
                // Two equal steps lead to the same worlds in either order; trying both orders makes too many worlds.
                let (sign, input) = (steps[step].sign, steps[step].input)
                if sign?.connection == nil, sign?.error == nil, !inputs.insert(input).inserted { continue }
                var rest = world
                rest.pending.remove(step)
                for other in after(step, in: rest) where all.insert(other).inserted { unexplored.append(other) }
            }
        }
        return all
    }

    private func after(_ step: Int, in world: World) -> [World] {
        var world = world
        let input = steps[step].input
        let rows = table.places(of: state(of: world), input)
        if let sign = steps[step].sign {
            world.isProved = world.isProved || sign.kind != .refusal
            // Without a row, the step means nothing, or the same as for a message that was just sent.
            let others = rows.isEmpty ? table.places(of: "sent", input) : rows
            return (rows.isEmpty ? [world] : []) + others.map { moved(world, along: $0, by: step) }
        }
        if input == "quit" {
            // A new life of the app need not receive the earlier signs again, and may briefly show something else.
            (world.pending, world.shown) = ([], [.errors, .answered])
            world.cause = world.cause.map { _ in step }
        }
        if !rows.isEmpty { return rows.map { moved(world, along: $0, by: step) } }
        // A client that resends a finished message waits for its answer again.
        let isRenewed = input == "person.again" || steps[step].isSending && owes(.waiting, in: world)
        return isRenewed ? table.places(of: "typed", "road.socket").map { moved(world, along: $0, by: nil) } : [world]
    }

    /// The world after applying a row; a row that keeps the state requires nothing new, unless it brings the
    /// error of a failure that only a history had reported.
    private func moved(_ world: World, along row: Int, by step: Int?) -> World {
        let isNew =
            owed[row].contains(.errors) && step.flatMap { steps[$0].sign?.error } != nil
            && world.cause.map { steps[$0].input } == "history.failed"
        guard table.rows[row].next != state(of: world) || isNew else { return world }
        return World(row: row, cause: step, isProved: world.isProved, pending: world.pending)
    }
}

extension Observations {
    fileprivate func steps(of question: ClientQuestion) -> [MessageMachine.Step] {
        var steps = question.requests.flatMap { request in
            [(request.event, request.connection == nil ? "road.rest" : "road.socket")]
                + (end(of: request).map { [($0, "road.ended")] } ?? [])
        }
        steps += question.repeats.map { ($0, "person.again") }
        steps += client.acts.filter { $0.event > question.event && ObservedClient.endsOfLife.contains($0.name) }
            .map { ($0.event, "quit") }
        let signSteps = question.signs.map { sign in
            MessageMachine.Step(
                event: sign.event, input: sign.input.rawValue, sign: sign, due: latestArrival(sign.event),
                isSure: isSurelyHandled(sign.event, on: sign.connection))
        }
        return (steps.map { .init(event: $0.0, input: $0.1) } + signSteps).sorted { $0.event < $1.event }
    }

    /// The period in which a client may not give up a message by itself: from its ack until it has polled long enough,
    /// read twice, or lost the connection that brought the ack; empty if no connection brought one.
    fileprivate func wait(for question: ClientQuestion) -> Range<Int> {
        guard let ack = question.signs.first(where: { $0.kind == .proof && $0.connection != nil }),
            let connection = ack.connection, question.requests.allSatisfy({ $0.connection != nil }),
            question.requests.contains(where: { $0.connection == connection && $0.event < ack.event })
        else { return 0..<0 }
        let sessions = question.namedSessions(before: ack.event + 1)
        let reads = client.reads.filter { read in
            guard case .session(let id) = read.route, sessions.contains(id) else { return false }
            return read.request > ack.event
        }
        let limit = time(of: ack.event) + clientWindow(\.polling).microseconds
        let ends = [
            loss(of: connection), reads.dropFirst().first.map(end),
            end(of: ack.event, at: ObservedClient.interruptions),
            events.indices.boundary { time(of: $0) >= limit },
        ]
        let end = ends.compactMap(\.self).min() ?? events.endIndex
        return ack.event..<max(ack.event, end)
    }
}
