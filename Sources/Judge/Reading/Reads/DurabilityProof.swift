/// The evidence about PERSIST-1 in a history, and the gaps in that evidence.
struct DurabilityProof {
    let promises: [StoredPromise]
    private let kills: ArmedKills
    /// The number of turns without a `done` because writes were refused.
    let held: Int
    /// The number of held turns that followed a turn without the fault.
    private let controlled: Int
    /// The turns with a `done` while writes were refused.
    let blind: [RefusedWrite]

    init(_ history: Observations) {
        let promises = history.promises(by: .done)
        let refused = RefusedWrite.all(in: history)
        // If neither an ack nor a script can show acceptance before the answer, the fault affected only the answer.
        let isAssumed = !history.subject.hasScriptedAgent && !history.hasAcks
        let held = refused.filter { $0.isHeldBack(in: history) && ($0.wasAccepted || isAssumed) }
        controlled =
            held.filter { write in
                promises.contains { promise in
                    [promise.shownAt, promise.keptAt].contains { $0.isBefore(write.fault.start) }
                        && !history.lives.refusedWrites(between: promise.turn.event, and: promise.madeAt)
                }
            }.count
        kills = ArmedKills(on: "done", promises, in: history)
        blind = refused.filter { if case .done = $0.outcome { true } else { false } }
        self.held = held.count
        self.promises = promises
    }

    var remarks: [String] {
        var parts = [kills.remark(on: "`done`", "answer")].compactMap(\.self)
        if held > 0 { parts.append("writes failed \(times(held)): no `done`") }
        return parts.isEmpty ? [] : [parts.joined(separator: "; ")]
    }

    /// The reason why the evidence is inconclusive, with everything missing; nil if it is complete.
    var doubt: Finding? {
        let isWhole = blind.isEmpty && controlled > 0 && kills.kept >= ArmedKills.fewest
        guard !isWhole else { return nil }
        let expected =
            "a failed write without `done` after a turn with one, and \(ArmedKills.fewest) kills on the bytes of `done` without a loss"
        let actual = "\(probe); \(kills.progress(on: "`done`"))"
        if let write = blind.first, case .done(let done) = write.outcome {
            let promise = promises.first { $0.madeAt == done || $0.turn.event == write.turn.event }
            let proof = promise?.keptAt ?? promise?.shownAt
            return Finding(
                promise?.keptAt != nil
                    ? "done was sent while writes failed, and the answer was stored anyway: the fault does not reach this store"
                    : "done was sent while writes failed, and nothing shows whether the answer was stored",
                expected: expected, actual: actual, at: [write.fault.start, done] + (proof.map { [$0] } ?? []))
        }
        let last = promises.compactMap { $0.keptAt ?? $0.shownAt }.max()
        return Finding(
            kills.count == 0 && held == 0
                ? "reads contain every answer, which does not prove that it was stored before it was sent"
                : "no answer was lost, but the proof is incomplete", expected: expected,
            actual: actual, at: last.map { [$0] } ?? [])
    }

    private var probe: String {
        if !blind.isEmpty { return "a store that the fault does not reach" }
        if held == 0 { return "no failed write" }
        let refused = "writes failed \(times(held)) without `done`"
        return controlled > 0 ? refused : "\(refused), and no turn without the fault before it"
    }
}
