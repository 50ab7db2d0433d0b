import Holdfast

extension Scenario {
    /// Whether it does little but wait, and for nothing that others have to leave alone.
    var waitsFromTheStart: Bool { !needs.patience.isEmpty && !needs.budget && !needs.start }
}

extension ServerSubject {
    /// What holds of a limit that nobody told.
    private static let usual = ["authSeconds": 10, "heartbeatSeconds": 30, "rateWindowSeconds": 60]

    /// A limit that the subject was configured with, or what the specification says of it.
    func stated(_ limit: String) -> Int { limits[limit] ?? Self.usual[limit] ?? 0 }

    /// Why a scenario would wait too long; nil when it would not, or when only the subject can tell.
    func impatience(with scenario: Scenario) -> String? {
        for (name, times) in scenario.needs.patience.sorted(by: { $0.key < $1.key }) {
            // A heartbeat is told by `connected`; the step that waits for it knows then.
            if name == "heartbeatSeconds", limits[name] == nil { continue }
            let (wait, overflow) = stated(name).multipliedReportingOverflow(by: times)
            if !overflow, Duration.seconds(min(wait, 1 << 31)) <= patience { continue }
            let (whole, _) = patience.components
            return
                "it waits \(times == 1 ? "for" : "\(times) times") \(name) of \(stated(name)), \(overflow ? "" : "\(wait) s, ")"
                + "and the patience is \(seconds(patience)); configure \(name) of at most \(Int(whole) / times)"
                + ", or give --patience \(overflow ? "" : "\(wait)")"
        }
        return nil
    }
}
