/// Durations of RFC 3339, appendix A.
enum DurationFormat {
    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = TextReader(bytes)
        guard reader.take("P") != nil, let date = units("YMWD", &reader) else { return false }
        // Weeks stand alone.
        if date.contains(UInt8(ascii: "W")) { return date.count == 1 && reader.isAtEnd }
        guard reader.take("T") != nil else { return !date.isEmpty && reader.isAtEnd }
        guard let time = units("HMS", &reader) else { return false }
        return !time.isEmpty && reader.isAtEnd
    }

    /// Numbers with units, in order and without a gap between the largest and the smallest; nil when something else comes.
    private static func units(_ order: String, _ reader: inout TextReader) -> [UInt8]? {
        var found: [UInt8] = []
        // Weeks are a unit of their own: days follow months.
        let letters = Array(order.utf8)
        let ladder = letters.filter { $0 != UInt8(ascii: "W") }
        while !reader.digits().isEmpty {
            guard let unit = reader.current, letters.contains(unit), reader.take("YMWDHS") != nil else { return nil }
            if let last = found.last {
                guard let position = ladder.firstIndex(of: last), position + 1 < ladder.count,
                    ladder[position + 1] == unit
                else { return nil }
            }
            found.append(unit)
        }
        return found
    }
}
