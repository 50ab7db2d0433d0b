import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Formats` {
    @Test(
        arguments: [
            (
                "date-time", ["2026-03-01T09:30:00Z", "2026-03-01t09:30:00.123+02:00", "1998-12-31T15:59:60-08:00"],
                [
                    "2026-03-01 09:30:00Z", "2026-02-29T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T09:30:00",
                    "1998-12-31T15:59:60Z", "২026-03-01T09:30:00Z",
                ]
            ),
            ("date", ["2024-02-29", "2000-02-29"], ["1900-02-29", "2026-13-01", "2026-1-1", "2026-00-10"]),
            ("time", ["23:59:60Z", "12:00:00+23:59"], ["12:00", "12:00:00", "12:00:00+24:00", "12:00:00.Z"]),
            ("duration", ["P3DT4H", "P2W", "PT0S"], ["P", "PT", "P1Y2W", "P1D2H", "PT1H2S", "1D"]),
            ("ipv4", ["192.0.2.1", "0.0.0.0"], ["256.0.0.1", "01.0.0.1", "1.2.3", "1.2.3.4.5", "1.2.3.٤"]),
            (
                "ipv6", ["::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1::8"],
                [
                    "1:2:3:4:5:6:7", "1::2::3", ":::", "12345::", "::192.0.2.256", "1:2:3:4:5:6:7:8:9", "fe80::1%eth0",
                    "1.2.3.4", ":1.2.3.4",
                ]
            ),
            (
                "uri", ["https://example.org/a?b#c", "urn:x:y", "http://[::1]:80/", "mailto:a@b"],
                ["//example.org", "a b", "http://[::1", "http://a:b", "http://a/%zz", "http://ä"]
            ),
            ("uri-reference", ["../a", "#x", "", "//host"], ["a:b c", "\\a", "1:b"]),
            (
                "uuid", ["123e4567-e89b-42d3-a456-426614174000"],
                ["123e4567e89b42d3a456426614174000", "123e4567-e89b-42d3-a456-42661417400g"]
            ),
            ("json-pointer", ["", "/a~0~1"], ["a", "/~2", "/~"]),
        ] as [(String, [String], [String])])
    func `a format takes and refuses`(format: String, taken: [String], refused: [String]) throws {
        let schema = try Schema(["format": .string(format)])
        for text in taken { #expect(schema.isValid(.string(text)), "\(text)") }
        for text in refused { #expect(!schema.isValid(.string(text)), "\(text)") }
        #expect(schema.isValid(12))
        #expect(try Schema(["format": .string(format)], formats: .annotate).isValid("\u{0}"))
    }

    @Test func `a format that nothing is checked for is a note, and a misspelled one a mistake`() throws {
        #expect(try Schema(["format": "idn-hostname"]).isValid("a b"))
        #expect(throws: SchemaProblem.self) { try Schema(["format": "emial"]) }
    }

    /// The quick look at a date-time and the grammar share the work; here they have to meet.
    @Test func `every day of a year is told from those beside it`() throws {
        let schema = try Schema(["format": "date-time"])
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        for month in 0...99 {
            let length = (1...12).contains(month) ? lengths[month - 1] : 0
            for day in 0...99 {
                let text = "2026-\(two(month))-\(two(day))T23:59:58.9Z"
                let isDay = day >= 1 && day <= length
                #expect(schema.isValid(.string(text)) == isDay, "\(text)")
            }
        }
    }

    /// One byte after another is put in every place of a text that is right.
    @Test(arguments: ["2026-03-31T19:29:39.5Z", "2026-03-31T19:29:39Z", "123e4567-e89b-42d3-a456-4266141740AF"])
    func `no byte is overlooked`(text: String) throws {
        let isUUID = text.count == 36
        let schema = try Schema(["format": isUUID ? "uuid" : "date-time"])
        for place in text.utf8.indices {
            for byte in UInt8(0x20)..<0x80 {
                var bytes = Array(text.utf8)
                let offset = text.utf8.distance(from: text.utf8.startIndex, to: place)
                bytes[offset] = byte
                let changed = String(decoding: bytes, as: UTF8.self)
                let expected = isUUID ? isUUIDText(bytes) : isDateTimeText(bytes)
                #expect(schema.isValid(.string(changed)) == expected, "\(changed)")
            }
        }
    }

    private func isUUIDText(_ bytes: [UInt8]) -> Bool {
        bytes.enumerated().allSatisfy { offset, byte in
            [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
    }

    /// Whether bytes are a date-time in UTC, told the plain way.
    private func isDateTimeText(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?[Zz]/),
            let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4), let minute = Int(match.5),
            let second = Int(match.6), (1...12).contains(month)
        else { return false }
        let length = month == 2 ? 28 : [4, 6, 9, 11].contains(month) ? 30 : 31
        return (1...length).contains(day) && hour < 24 && minute < 60 && second < 60
    }

    /// Every format against pieces that look like parts of every other one.
    @Test func `no text makes a format trap`() throws {
        let pieces = [
            "xn--", "-", ".", ":", "::", "[", "]", "@", "%", "%4", "{", "}", "\\", "(", "P", "T", "1",
            "99999999999999999999",
            "Z", "+", "~", "/", "#", "?", "é", "א", "\u{200D}", "\u{302E}", "\u{0}", "😀", "2026-02-30", "\"", "v1.",
            "0",
        ]
        let formats = [
            "date-time", "date", "time", "duration", "ipv4", "ipv6", "uri", "uri-reference", "uuid", "json-pointer",
        ]
        let schemas = try formats.map { try Schema(["format": .string($0)]) }
        var state: UInt64 = 42
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int(state >> 60) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            for schema in schemas {
                let isValid = schema.isValid(.string(text))
                if isValid != schema.violations(in: .string(text)).isEmpty { Issue.record("\(text)") }
            }
        }
    }
}
