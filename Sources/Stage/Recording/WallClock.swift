import SmallFoundation

/// The time of day, for the first line of a transcript and for answers of the push service; nothing is measured with it.
enum WallClock {
    static func now() -> String {
        Date.now.formatted(.iso8601)
    }

    /// A moment given in milliseconds since 1970, as servers write it.
    static func text(milliseconds: Int) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            .formatted(
                .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: true)
                    .timeZone(separator: .omitted))
    }

    /// Milliseconds since 1970.
    static func milliseconds() -> Int {
        Int(Date.now.timeIntervalSince1970 * 1000)
    }
}
