import HoldfastBasics
import Testing

@Suite struct InstantTests {
    @Test(arguments: [
        ("2026-03-01T08:30:00.25+01:00", 1_772_350_200_250_000), ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31t23:59:59.9999999z", -1), ("2000-02-29T24:00:00Z", nil), ("2026-03-01T08:30:00.Z", nil),
        ("2026-03-01 08:30:00Z", nil), ("2026-03-01T08:30:00", nil), ("2026-03-01T08:30:00+0100", nil),
        ("2026-13-01T08:30:00Z", nil), ("2026-03-01T08:30:00Z ", nil), ("", nil), ("2026-02-31T08:30:00Z", nil),
        ("2100-02-29T00:00:00Z", nil), ("2026-04-31T00:00:00Z", nil), ("2026-01-00T00:00:00Z", nil),
        ("1999-12-31T23:59:59Z", 946_684_799_000_000), ("2000-02-29T00:00:00Z", 951_782_400_000_000),
    ])
    func `an instant is what the grammar says`(text: String, microseconds: Int?) {
        #expect(Instant(text)?.microseconds == microseconds)
        #expect(Instant(text, leniently: true)?.microseconds == microseconds || microseconds == nil)
    }

    @Test(arguments: ["2026-03-01 07:30:00,25", "2026-03-01T08:30:00.25+0100", "2026-03-01T07:30:00.25"])
    func `what programs that record write is taken where that is asked for`(text: String) {
        #expect(Instant(text) == nil)
        #expect(Instant(text, leniently: true)?.microseconds == 1_772_350_200_250_000)
    }

    @Test func `digits beyond microseconds count, and zeros at the end do not`() throws {
        let instants = try ["2026-03-01T00:00:00.0000001Z", "2026-03-01T00:00:00.00000019Z", "2026-03-01T00:00:00.1Z"]
            .map { try #require(Instant($0)) }
        #expect(instants == instants.sorted() && instants[0] < instants[1] && instants[1] < instants[2])
        #expect(Instant("2026-03-01T00:00:00.10Z") == instants[2])
    }

    @Test func `as many digits are written as are asked for`() {
        #expect(Instant.text(951_827_696_000_001) == "2000-02-29T12:34:56.000001Z")
        #expect(Instant.text(951_827_696_987_654, digits: 3) == "2000-02-29T12:34:56.987Z")
        #expect(Instant.text(-1, digits: 0) == "1969-12-31T23:59:59Z")
    }
}
