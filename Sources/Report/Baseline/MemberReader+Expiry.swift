import Holdfast
import HoldfastBasics
import HoldfastJSON

/// What baselines and waivers have in common: whatever is accepted, is accepted until a day.
extension MemberReader {
    /// For how many days something may be accepted: what nobody looks at for longer is forgotten.
    private static var maxDays: Int { 366 }

    /// The last day on which something is accepted, which has to be said; at most a year after today.
    package func expiry(_ key: String, today: CivilDate) -> CivilDate? {
        guard let text = string(key) else { return nil }
        guard text.utf8.count == 10, let day = CivilDate(text) else {
            return wrong(key, .string(text), "a day such as 2026-12-31")
        }
        let latest = today.advanced(by: Self.maxDays)
        guard day <= latest else {
            collector.note(
                pointer.appending(key), "\(day) is more than a year ahead", expected: "a day up to \(latest)",
                fix: "choose an earlier date")
            return nil
        }
        return day
    }
}
