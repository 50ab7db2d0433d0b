import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

extension StepContext {
    func process(_ step: ScenarioStep.ProcessStep) async throws {
        guard let instance = performer.instance else { throw StepEnd.outOfReach("it needs --start") }
        switch step {
        case .kill(let pause): try await kill(instance, after: pause)
        case .killOn(let target): try arm(instance, target)
        case .awaitKill(let bound): try await awaitKill(instance, bound)
        case .stop: try await stop(instance)
        case .start: try await start(instance)
        case .refuseWrites: try await limitWrites(instance, refusing: true)
        case .acceptWrites: try await limitWrites(instance, refusing: false)
        }
    }

    // MARK: ending

    private func kill(_ instance: SubjectInstance, after pause: ScenarioStep.ProcessStep.Pause?) async throws {
        if let pause {
            let number = try number(pause.number, in: 0...60_000_000)
            try? await Task.sleep(
                for: pause.unit == .milliseconds ? .milliseconds(number) : .microseconds(number), tolerance: .zero,
                clock: .continuous)
        }
        if pause == nil { await performer.awaitExitAfterLoss(of: instance) }
        if Task.isCancelled { throw StepEnd.interrupted }
        let now = ContinuousClock.now
        guard instance.kill() else { throw ended(instance) }
        recorder.note(.act("kill", [:]), on: .server, at: now)
        try await settle(instance)
    }

    private func stop(_ instance: SubjectInstance) async throws {
        await performer.awaitExitAfterLoss(of: instance)
        guard instance.exit == nil else { throw ended(instance) }
        recorder.note(.act("stop", [:]), on: .server)
        await instance.stop(within: performer.limit("stop"))
        try await settle(instance)
    }

    /// Returns when the process is gone and its connections have ended, so that later steps find neither.
    private func settle(_ instance: SubjectInstance) async throws {
        guard await instance.exit(within: performer.limit("close")) != nil else {
            if Task.isCancelled { throw StepEnd.interrupted }
            throw StepEnd.harness(
                HarnessProblem(.faultImpossible(fault: "kill", reason: "the process does not end"), at: location))
        }
        for lane in performer.openLanes where !lane.isPaused {
            // If a process outside the group keeps a socket open, later requests show it.
            _ = await lane.mailbox.waitForEnd(within: .seconds(1))
        }
        if Task.isCancelled { throw StepEnd.interrupted }
    }

    private func ended(_ instance: SubjectInstance) -> StepEnd {
        .unmet("\(pointer): the server had exited by itself, \(instance.exit?.description ?? "just now")")
    }

    // MARK: armed

    private func arm(_ instance: SubjectInstance, _ target: ScenarioStep.ProcessStep.Target) throws {
        let kill = ArmedKill(target: target, pointer: pointer)
        performer.armed.add(kill)
        if case .message(_, let letter) = target {
            try open(letter).watch(with: kill.tripwire(for: instance, speaking: dialect, recorder: recorder))
        }
    }

    private func awaitKill(_ instance: SubjectInstance, _ bound: ScenarioStep.Bound) async throws {
        guard let kill = performer.armed.last else {
            throw StepEnd.harness(HarnessProblem(.faultNeverFired(fault: "killOn"), at: location))
        }
        guard let wasAlive = await kill.fired.wait(within: performer.limit(bound.within)) else {
            if Task.isCancelled { throw StepEnd.interrupted }
            // Not a fault: a server is free to send or encode something else.
            throw StepEnd.unmet("\(pointer): the server was not killed, because it never sent \(kill.awaited)")
        }
        guard wasAlive else { throw ended(instance) }
        try await settle(instance)
    }

    // MARK: starting

    private func start(_ instance: SubjectInstance) async throws {
        await performer.awaitExitAfterLoss(of: instance)
        guard instance.exit != nil else { return }
        performer.keptConnection.drop()
        do {
            try await instance.restart(within: performer.limit("start"))
        } catch {
            if Task.isCancelled { throw StepEnd.interrupted }
            recorder.note(.wait(awaited: "start", met: false), on: .server)
            throw StepEnd.unmet("\(pointer): \(error.inShort)")
        }
        recorder.note(.act("start", [:]), on: .server)
    }

    // MARK: writes

    private func limitWrites(_ instance: SubjectInstance, refusing: Bool) async throws {
        await performer.awaitExitAfterLoss(of: instance)
        if !refusing {
            // Recorded before the limit is lifted: otherwise an answer stored meanwhile would seem stored despite it.
            recorder.note(.act("acceptWrites", [:]), on: .server)
            // If a refused write ended the process, there is no limit to lift.
            if instance.exit != nil { return }
        }
        let before = ContinuousClock.now
        do {
            _ = try instance.limitFileSize(to: refusing ? ProcessGroup.refusedBeyond : nil)
        } catch .noProcess where !refusing {
            // It ended while the limit was being lifted.
        } catch .noProcess where !instance.wasEndedHere {
            throw ended(instance)
        } catch {
            throw StepEnd.harness(
                HarnessProblem(
                    .faultImpossible(fault: refusing ? "refuseWrites" : "acceptWrites", reason: error.reason),
                    at: location
                ))
        }
        // The limit took effect at some point in this time.
        let took = JSONValue((ContinuousClock.now - before).microseconds)
        if refusing { recorder.note(.act("refuseWrites", ["took": took]), on: .server) }
    }
}

extension ProcessGroup.LimitProblem {
    fileprivate var reason: String {
        switch self {
        case .notPossibleHere: "this system cannot limit the writes of another process"
        case .noProcess: "the server has ended"
        case .refused(let process, let reason):
            "the kernel refuses to limit process \(process) (error \(reason.number))"
        }
    }
}
