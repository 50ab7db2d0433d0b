import HoldfastJSON

/// The evidence of one predicate in one history.
///
/// Without evidence there is no pass: a predicate counts how often the history exercised its clause.
struct Evidence: Sendable, Equatable {
    /// The number of times the clause was exercised.
    var exercised = 0
    var violations: [Finding] = []
    /// Each reason why the evidence proves nothing, though the clause was exercised.
    var doubts: [Finding] = []
    /// Remarks on the strength of the evidence, one sentence each.
    var remarks: [String] = []

    mutating func add(_ other: Evidence) {
        exercised += other.exercised
        doubts += other.doubts
        remarks += other.remarks
        guard !other.violations.isEmpty else { return }
        violations = (violations + other.violations).sorted { $0.events.last ?? 0 < $1.events.last ?? 0 }
    }

    /// Counts a passed test.
    mutating func keep() { exercised += 1 }

    /// Counts a test: passed if the fact holds, failed otherwise.
    ///
    /// A passed test counts only if `counts` holds; a failed one always does.
    mutating func test(
        _ holds: Bool, keptIf counts: @autoclosure () -> Bool = true, otherwise what: @autoclosure () -> String,
        expected: @autoclosure () -> String, actual: @autoclosure () -> String,
        at events: @autoclosure () -> [any HasEvent]
    ) {
        if !holds { violate(what(), expected: expected(), actual: actual(), at: events()) } else if counts() { keep() }
    }

    /// Counts a test: passed if a text is the expected one, code point by code point.
    mutating func test(
        _ actual: String, is wanted: String, otherwise what: @autoclosure () -> String,
        at events: @autoclosure () -> [any HasEvent]
    ) {
        test(
            exactlyEqual(actual, wanted), otherwise: what(), expected: shown(wanted), actual: shown(actual),
            at: events())
    }

    mutating func test<Fault>(
        no fault: Fault?, keptIf counts: @autoclosure () -> Bool = true, _ finding: (Fault) -> Finding
    ) {
        if let fault { violate(finding(fault)) } else if counts() { keep() }
    }

    mutating func test(no finding: Finding?, keptIf counts: @autoclosure () -> Bool = true) {
        test(no: finding, keptIf: counts()) { $0 }
    }

    /// Counts a test: passed if the fact holds, failed if something proves that it never will.
    mutating func test<Proof>(_ holds: Bool, brokenBy proof: @autoclosure () -> Proof?, _ finding: (Proof) -> Finding) {
        if holds { keep() } else if let proof = proof() { violate(finding(proof)) }
    }

    mutating func test(_ outcome: Observations.ScreenOutcome, _ finding: (Int) -> Finding) {
        switch outcome {
        case .kept: keep()
        case .broken(let event): violate(finding(event))
        case .unknown: break
        }
    }

    mutating func violate(_ what: String, expected: String, actual: String, at events: [any HasEvent]) {
        violate(Finding(what, expected: expected, actual: actual, at: events))
    }

    /// Counts a test that proved nothing, with the reason.
    mutating func doubt(_ what: String, expected: String, actual: String, at events: [any HasEvent]) {
        doubt(Finding(what, expected: expected, actual: actual, at: events))
    }

    mutating func violate(_ what: String, expected: String, by missing: Unanswered) {
        violate(what, expected: expected, actual: missing.actual, at: [missing.asked, missing.proof])
    }

    mutating func violate(_ what: String, byEnd actual: String = "the server ended it", at events: [any HasEvent]) {
        violate(what, expected: "it stays open", actual: actual, at: events)
    }

    mutating func violate(_ finding: Finding) {
        exercised += 1
        violations.append(finding)
    }

    mutating func doubt(_ finding: Finding) {
        exercised += 1
        doubts.append(finding)
    }
}
