import HoldfastJSON
import Testing

struct `JSON numbers` {
    private func number(_ text: String) throws -> JSONNumber {
        try #require(JSONNumber(text: text), "\(text)")
    }

    @Test(arguments: [
        ("1", "1.0"), ("1", "1e0"), ("100", "1E2"), ("0", "-0"), ("0", "0e999999999999999999999"), ("0.5", "5e-1"),
        ("1e400", "10e399"), ("12345678901234567890123", "12345678901234567890.123e3"),
    ])
    func `one value in two spellings is equal and hashes alike`(left: String, right: String) throws {
        #expect(try number(left) == number(right))
        #expect(try number(left).hashValue == number(right).hashValue)
        #expect(try JSONValue.number(number(left)) == .number(number(right)))
    }

    @Test(arguments: [
        ("9007199254740992", "9007199254740993"), ("0.1", "0.10000000000000001"), ("-1", "1"), ("-2", "-1.5"),
        ("9", "10"), ("1e400", "1e401"), ("-1e5", "0"), ("0", "1e-400"), ("1.5", "15"), ("-1e401", "-1e400"),
        ("123", "124"), ("18446744073709551616", "18446744073709551617"),
    ])
    func `order is exact`(smaller: String, greater: String) throws {
        #expect(try number(smaller) < number(greater))
        #expect(try !(number(greater) < number(smaller)))
        #expect(try number(smaller) != number(greater))
    }

    @Test(
        arguments: [
            ("1", 1), ("1.0", 1), ("1e3", 1000), ("-12.50e1", -125), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("-9223372036854775808.0", .min), ("9223372036854775807.0", .max),
            ("9223372036854775808", nil), ("9223372036854775808.0", nil), ("1.5", nil), ("1e19", nil), ("1e-1", nil),
            ("0e-5", 0), ("1e99999999999999999999999", nil),
        ] as [(String, Int?)])
    func `an Int is given only when exact`(text: String, int: Int?) throws {
        #expect(try number(text).int == int)
    }

    @Test(arguments: [
        ("10", "5", true), ("10", "3", false), ("0.3", "0.1", true), ("4.5", "1.5", true), ("0.0075", "0.0001", true),
        ("0.00751", "0.0001", false), ("1e308", "0.123456789", false), ("1e308", "0.5", true), ("0", "7", true),
        ("5", "0", false), ("9007199254740993", "3", true), ("9007199254740993", "2", false), ("1e400", "7", false),
        ("-9", "3", true), ("12345678901234567890123456789", "12345678901234567890123456789", true),
        ("24691357802469135780246913578", "12345678901234567890123456789", true),
        ("24691357802469135780246913579", "12345678901234567890123456789", false),
        ("1e30", "100000000000000000000000000001", false), ("1e999999999", "3", false), ("1e999999999", "8e5", true),
        ("-9223372036854775808", "-1", true), ("1", "10", false), ("0.1", "1", false),
    ])
    func `multiples are exact`(value: String, divisor: String, isMultiple: Bool) throws {
        #expect(try number(value).isMultiple(of: number(divisor)) == isMultiple)
    }

    @Test func `whole numbers and integer tokens are two things`() throws {
        #expect(try number("1.0").isInteger)
        #expect(try !number("1.0").isIntegerToken)
        #expect(try number("1e2").isInteger)
        #expect(try !number("1e2").isIntegerToken)
        #expect(try number("-12").isIntegerToken)
        #expect(try !number("1.5").isInteger)
        #expect(try !number("1e-2").isInteger)
        #expect(try number("100e-2").isInteger)
    }

    @Test(arguments: ["", "-", "01", "1.", ".5", "+1", "1e", "0x1", "1 ", "NaN", "Infinity", "--1", "1e1.5", "٣"])
    func `spellings outside the grammar are refused`(text: String) {
        #expect(JSONNumber(text: text) == nil)
    }

    @Test func `a Double is written so that it reads back`() throws {
        for value in [0.1, 1e300, Double.leastNonzeroMagnitude, -0.0, 1e16, 123456.789] {
            let number = JSONNumber(value)
            #expect(JSONNumber(text: number.text) == number)
            #expect(number.double == value)
        }
        #expect(JSONNumber(Double.nan).text == "0")
        #expect(JSONNumber(-Double.infinity).double == -Double.greatestFiniteMagnitude)
    }
}
