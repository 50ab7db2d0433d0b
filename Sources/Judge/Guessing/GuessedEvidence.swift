extension Evidence {
    /// The part of this evidence that also holds without guesses about which turns frames belong to.
    ///
    /// A turn with a frame that may belong to another turn neither keeps nor breaks a clause. Evidence that exists only
    /// with the guess, or only without the guessed turns, becomes a doubt. `sure` is the evidence of the same history
    /// without the guessed turns.
    func confirmed(by sure: Evidence, _ guessed: [ObservedTurn]) -> Evidence {
        guard self != sure else { return self }
        let own = Set(violations.map(\.identity))
        let others = Set(sure.violations.map(\.identity))
        var evidence = Evidence()
        evidence.remarks = sure.remarks
        evidence.violations = sure.violations.filter { own.contains($0.identity) }
        evidence.doubts = sure.doubts
        evidence.exercised = sure.exercised - (sure.violations.count - evidence.violations.count)
        let unproven =
            violations.first { !others.contains($0.identity) } ?? sure.violations.first { !own.contains($0.identity) }
        if let unproven {
            evidence.doubt(
                "\(unproven.what), if the order of frames shows which turn they belong to",
                expected: unproven.expected, actual: unproven.actual, at: unproven.events)
        } else if evidence.exercised == 0, exercised > 0 {
            evidence.doubt(
                "frames without ids fit several questions",
                expected: "ids that say which question they belong to", actual: "none",
                at: guessed.prefix(2).map(\.event))
        }
        return evidence
    }
}

extension Finding {
    /// The problem and its events; the other parts of a finding may differ without the guessed turns.
    fileprivate var identity: String { "\(what) \(events)" }
}
