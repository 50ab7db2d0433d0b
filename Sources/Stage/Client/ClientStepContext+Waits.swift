import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ClientStepContext where Scene == ClientPerformer {
    /// The shortest and the longest pause between two reads of the state.
    private static var firstPause: Duration { .milliseconds(15) }
    private static var longestPause: Duration { .milliseconds(120) }
    private static var arrivalPause: Duration { .milliseconds(240) }

    func await(_ awaited: AwaitedArrival) async throws {
        let deadline = ExtendedDeadline(performer.limit(awaited.within, isOptional: awaited.isOptional))
        let (mark, begun) = (performer.mark(of: awaited), ContinuousClock.now)
        for number in 0..<awaited.count {
            if try await take(
                after: mark, before: deadline,
                where: { [performer] arrival in performer.matches(arrival, awaited) })
            {
                continue
            }
            return try missed(awaited.words(number), awaited.within, isOptional: awaited.isOptional)
        }
        if awaited.isOptional { performer.noteOptionalArrival(after: .now - begun) }
    }

    /// Waits for an arrival, and reads the screen meanwhile, because the judge needs a continuous record of it.
    private func take(
        after mark: Int, before deadline: ExtendedDeadline, where matches: @Sendable (WorldArrival) -> Bool
    ) async throws -> Bool {
        while deadline.rest > Self.arrivalPause {
            let next = ExtendedDeadline(Self.arrivalPause)
            if await server.pending.take(after: mark, before: next, where: matches) { return true }
            if Task.isCancelled { throw StepEnd.interrupted }
            if performer.isRunning { _ = try await performer.readScreen(at: pointer) }
        }
        return await server.pending.take(after: mark, before: deadline, where: matches)
    }

    func awaitState(_ awaited: AwaitedState) async throws {
        let deadline = ExtendedDeadline(performer.limit(awaited.within, isOptional: awaited.isOptional))
        let begun = ContinuousClock.now
        var pause = Self.firstPause
        while true {
            let isLast = deadline.rest <= .zero
            let state = try await performer.readScreen(recording: isLast, at: pointer)
            if ClientScreen(state).shows(awaited, named: performer.named) {
                if awaited.isOptional { performer.noteOptionalArrival(after: .now - begun) }
                return
            }
            if isLast { break }
            try await sleep(min(pause, max(.milliseconds(1), deadline.rest)))
            pause = min(pause * 2, Self.longestPause)
        }
        try missed("state", awaited.within, isOptional: awaited.isOptional)
    }

    func watch(_ time: Duration) async throws {
        let deadline = ExtendedDeadline(time)
        while deadline.rest > .zero {
            try await sleep(min(Self.longestPause * 2, max(.milliseconds(1), deadline.rest)))
            if recorder.wasFlooded { throw StepEnd.unmet("\(pointer): the client flooded the suite") }
            let isLast = deadline.rest <= .zero
            _ = try await performer.readScreen(recording: isLast, at: pointer)
        }
    }

    private func sleep(_ duration: Duration) async throws {
        guard (try? await Task.sleep(for: duration)) != nil else { throw StepEnd.interrupted }
    }
}

extension ClientStepContext {
    /// Records an unmet wait, which shows how long the stage watched; throws unless the wait is optional.
    package func missed(_ what: String, _ bound: String, isOptional: Bool) throws {
        if Task.isCancelled { throw StepEnd.interrupted }
        performer.record(.wait(awaited: what, met: false), on: .client)
        if !isOptional { throw StepEnd.unmet("\(pointer): no \(what) within '\(bound)'") }
    }

    func filled(_ awaited: AwaitedArrival) throws -> AwaitedArrival {
        var wanted = awaited
        wanted.session = try awaited.session.map { try filled($0) }
        wanted.name = try awaited.name.map { try filled($0) }
        return wanted
    }

    func filled(_ awaited: AwaitedState) throws -> AwaitedState {
        var wanted = awaited
        wanted.session = try awaited.session.map { try $0.map { try filled($0) } }
        wanted.shows = try awaited.shows.map { try filled($0) }
        wanted.hides = try awaited.hides.map { try filled($0) }
        wanted.failed = try awaited.failed.map { try filled($0) }
        wanted.sent = try awaited.sent.map { try filled($0) }
        var unread: [String: Int] = [:]
        for (session, count) in awaited.unread { unread[try filled(session)] = count }
        wanted.unread = unread
        return wanted
    }
}

extension AwaitedArrival {
    /// Whether an arrival before the mark counts too: a connection that is still open, or a question not yet awaited.
    var isLasting: Bool { [.connection, .chat, .post, .question].contains(kind) }

    /// Names the missing arrivals, given the number that came.
    package func words(_ number: Int) -> String {
        [kind.rawValue, name, session.map { "of \($0)" }].compactMap { $0 }.joined(separator: " ")
            + (count > 1 ? " (\(number + 1) of \(count))" : "")
    }
}

extension ClientScene {
    package func matches(_ arrival: WorldArrival, _ awaited: AwaitedArrival) -> Bool {
        guard arrival.kinds.contains(awaited.kind) else { return false }
        if let session = awaited.session, arrival.session != session { return false }
        return awaited.name.map { isQuestion(arrival, named: $0) } ?? true
    }
}
