import HoldfastJSON
import HoldfastTranscript

/// Kills triggered by the bytes of a promise, and their results.
///
/// Such a kill leaves the server no time between announcing and storing. It proves something only if the whole promise
/// had arrived and the session was read after the next start.
struct ArmedKills {
    /// The fewest kills that prove anything: no loss in 20 bounds the loss rate below 15 % with 95 % confidence.
    static let fewest = 20

    /// The number of kills after which a read contains the promise, or lacks it.
    private(set) var (kept, lost) = (0, 0)
    /// The number of kills, including those with an unknown result.
    private var tried = 0
    /// The last promise that survived a kill, and the read that contains it.
    private var shown: [Int] = []

    var count: Int { kept + lost }

    /// Counts the kills whose trigger contains a word, or those on an exchange if `ofExchange`.
    init(
        on word: String, ofExchange: Bool = false, _ promises: [StoredPromise], in history: Observations
    ) {
        for (life, end) in history.lives.ended where end.cause == .killed {
            guard let bytes = end.details.string("bytes"),
                ofExchange ? end.details["on"] == nil : bytes.contains(word) && end.details["on"] != nil
            else { continue }
            tried += 1
            // Partial bytes of a later turn would not be a promise.
            guard let promise = promises.filter({ $0.life == life }).max(by: { $0.madeAt < $1.madeAt }),
                !history.requests.contains(where: { _, request in
                    request.event > promise.madeAt && history.life(of: request) == life
                })
            else { continue }
            if promise.lostAt != nil {
                lost += 1
            } else if let kept = promise.keptAt {
                self.kept += 1
                shown = [promise.madeAt, kept]
            }
        }
    }

    func progress(on what: String) -> String {
        guard kept < Self.fewest else { return "\(kept) kills on the bytes of \(what)" }
        guard tried > 0 else { return "no kill of \(Self.fewest) on the bytes of \(what)" }
        let done = "\(kept) of \(Self.fewest) kills on the bytes of \(what)"
        // Kills without a result must be replaced.
        return tried < Self.fewest
            ? "\(done) (--kills \(Self.fewest) asks for as many)"
            : "\(done) followed by a read, of \(tried) (--kills \(2 * tried) asks for more)"
    }

    /// The reason why kills without a loss prove nothing; nil if there are enough of them, or none.
    func doubt(on what: String, _ thing: String) -> Finding? {
        guard lost == 0, (1..<Self.fewest).contains(kept) else { return nil }
        return Finding(
            "no \(thing) was lost, but proving this takes more kills",
            expected: "\(Self.fewest) kills on the bytes of \(what) without a loss", actual: progress(on: what),
            at: shown)
    }

    func remark(on what: String, _ thing: String) -> String? {
        guard count > 0 else { return nil }
        let kills = "\(count) kill\(count == 1 ? "" : "s") on the bytes of \(what)"
        guard lost == 0 else { return "\(kills), \(lost) of them lost the \(thing)" }
        // No loss in n trials: the rate is below 3/n with 95 % confidence.
        let bound = count < 3 ? "" : ": at most \((300 + count - 1) / count) % of \(thing)s lost, with 95 % confidence"
        return "\(kills), none lost\(bound)"
    }
}

func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
}

extension Evidence {
    mutating func take(_ kills: ArmedKills, on what: String, _ thing: String) {
        exercised += kills.kept
        doubts += [kills.doubt(on: what, thing)].compactMap(\.self)
        remarks = [kills.remark(on: what, thing)].compactMap(\.self)
    }
}
