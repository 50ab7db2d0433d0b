import Testing

@testable import HoldfastSchemaDiff

@Suite struct WideIntegerTests {
    private func text(_ number: WideInteger?) -> String? { number.map { ($0.isNegative ? "-" : "") + $0.digits } }

    @Test func `numbers beyond 64 bits are exact, and what does not fit has no answer`() throws {
        let largest = "340282366920938463463374607431768211455"
        let two64: WideInteger = try #require(WideInteger("18446744073709551616"))
        #expect(text(WideInteger("-" + largest)) == "-" + largest)
        #expect(WideInteger("340282366920938463463374607431768211456") == nil)
        #expect(text(two64.plus(-1)?.times(two64)) == "340282366920938463444927863358058659840")
        #expect(two64.times(two64) == nil)
        #expect(WideInteger(largest)?.plus(1) == nil)
        #expect(text(WideInteger(largest)?.plus(-1)) == "340282366920938463463374607431768211454")
        #expect(text(two64.plus(try #require(WideInteger("-18446744073709551617")))) == "-1")
        #expect(WideInteger("-0") == 0)
    }

    @Test(arguments: [
        ("340282366920938463463374607431768211455", "18446744073709551617", "18446744073709551615", "0"),
        (
            "340282366920938463463374607431768211454", "-340282366920938463463374607431768211455", "0",
            "340282366920938463463374607431768211454"
        ),
        ("-100000000000000000000000000000000000001", "10", "-10000000000000000000000000000000000000", "-1"),
        (
            "-100000000000000000000000000000000000001", "-30000000000000000001", "3333333333333333333",
            "-6666666666666666668"
        ),
    ])
    func `division rounds towards 0`(dividend: String, divisor: String, quotient: String, remainder: String) throws {
        let dividend = try #require(WideInteger(dividend))
        let divisor = try #require(WideInteger(divisor))
        let result = dividend.divided(by: divisor)
        #expect(text(result.quotient) == quotient)
        #expect(text(result.remainder) == remainder)
        #expect(result.quotient.times(divisor)?.plus(result.remainder) == dividend)
    }
}
