import Holdfast
import HoldfastJSON
import HoldfastTranscript

// What is waited for.
extension ClientStepContext {
    /// How long the state is left alone between two looks, at first and at most.
    private static let firstPause = Duration.milliseconds(15)
    private static let longestPause = Duration.milliseconds(120)
    /// The same while something is awaited from the client.
    private static let pauseOfArrivals = Duration.milliseconds(240)

    func await(_ awaited: AwaitedArrival) async throws {
        let deadline = PatientDeadline(performer.limit(awaited.within))
        let session = try awaited.session.map { try filled($0) }
        let name = try awaited.name.map { try filled($0) }
        // A connection that is still there and a question nobody has waited for count whenever they came.
        let isLasting = [.connection, .chat, .post, .question].contains(awaited.kind)
        let mark = isLasting ? 0 : performer.mark
        for number in 0..<awaited.count {
            if try await take(
                after: mark, before: deadline,
                where: { [performer] arrival in
                    guard arrival.kinds.contains(awaited.kind) else { return false }
                    if let session, arrival.session != session { return false }
                    guard let name else { return true }
                    return performer.isQuestion(arrival, named: name)
                })
            {
                continue
            }
            let words = [awaited.kind.rawValue, name, session.map { "of \($0)" }].compactMap { $0 }
            let which = awaited.count > 1 ? " (\(number + 1) of \(awaited.count))" : ""
            return try missed(words.joined(separator: " ") + which, awaited.within, isOptional: awaited.isOptional)
        }
    }

    /// Waits for an arrival, and looks at the screen meanwhile: whoever judges has to know what it showed all the time.
    private func take(
        after mark: Int, before deadline: PatientDeadline, where matches: @Sendable (WorldArrival) -> Bool
    ) async throws -> Bool {
        while deadline.rest > Self.pauseOfArrivals {
            let next = PatientDeadline(Self.pauseOfArrivals)
            if await server.pending.take(after: mark, before: next, where: matches) { return true }
            if Task.isCancelled { throw StepEnd.interrupted }
            if performer.isRunning { _ = try await performer.look(at: pointer) }
        }
        return await server.pending.take(after: mark, before: deadline, where: matches)
    }

    func awaitState(_ awaited: AwaitedState) async throws {
        let deadline = PatientDeadline(performer.limit(awaited.within))
        var wanted = awaited
        wanted.session = try awaited.session.map { try $0.map { try filled($0) } }
        wanted.shows = try awaited.shows.map { try filled($0) }
        wanted.hides = try awaited.hides.map { try filled($0) }
        wanted.failed = try awaited.failed.map { try filled($0) }
        wanted.sent = try awaited.sent.map { try filled($0) }
        var unread: [String: Int] = [:]
        for (session, count) in awaited.unread { unread[try filled(session)] = count }
        wanted.unread = unread
        var pause = Self.firstPause
        while true {
            let isLast = deadline.rest <= .zero
            let state = try await performer.look(recording: isLast, at: pointer)
            if ClientScreen(state).shows(wanted, named: performer.named) { return }
            if isLast { break }
            try await sleep(min(pause, max(.milliseconds(1), deadline.rest)))
            pause = min(pause * 2, Self.longestPause)
        }
        try missed("state", awaited.within, isOptional: awaited.isOptional)
    }

    func watch(_ watch: ClientWatch) async throws {
        let limit: Duration =
            switch watch {
            case .bound(let name): performer.limit(name)
            case .milliseconds(let milliseconds): .milliseconds(milliseconds)
            }
        let deadline = PatientDeadline(limit)
        while deadline.rest > .zero {
            try await sleep(min(Self.longestPause * 2, max(.milliseconds(1), deadline.rest)))
            if recorder.wasFlooded { throw StepEnd.unmet("\(pointer): the client flooded the suite") }
            let isLast = deadline.rest <= .zero
            _ = try await performer.look(recording: isLast, at: pointer)
        }
    }

    private func sleep(_ duration: Duration) async throws {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw StepEnd.interrupted
        }
    }

    /// Waits in vain are part of the history: they say how long the stage watched.
    private func missed(_ what: String, _ bound: String, isOptional: Bool) throws {
        if Task.isCancelled { throw StepEnd.interrupted }
        recorder.note(.wait(awaited: what, met: false), on: .client)
        if !isOptional { throw StepEnd.unmet("\(pointer): no \(what) within '\(bound)'") }
    }
}

extension ClientPerformer {
    /// Whether a question is the message of a name: by its key once that is known, else by its words.
    func isQuestion(_ arrival: WorldArrival, named name: String) -> Bool {
        let named = named(name)
        guard named.id == nil else { return false }
        if let key = named.key, arrival.key == key { return true }
        return arrival.text == named.text && (named.key == nil || arrival.key == nil || isOnly(name))
    }

    /// Whether no other message has the same words.
    private func isOnly(_ name: String) -> Bool { alike(name) == 1 }
}
