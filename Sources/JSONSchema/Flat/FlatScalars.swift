import HoldfastJSON

extension FlatRun {
    @inline(never)
    func hasLength(_ index: Int, _ min: Int, _ max: Int) -> Bool {
        let count = Int(tokens[index].length)
        // A scalar has one to four bytes, so the byte count often decides.
        if count <= max, count / 4 >= min { return true }
        var scalars = 0
        for byte in bytes(tokens[index]) where byte & 0xC0 != 0x80 { scalars += 1 }
        return scalars >= min && scalars <= max
    }

    @inline(never)
    func matches(_ index: Int, _ automaton: Int32, _ otherwise: Int32) -> Bool {
        automata[Int(automaton)].matches(bytes(tokens[index]), cells) ?? ask(otherwise, index)
    }

    @inline(never)
    func has(_ format: Format, _ index: Int) -> Bool { format.accepts(bytes(tokens[index])) }

    /// Whether the length of a text, or the number of elements or members, is within bounds.
    @inline(__always)
    func isCounted(_ index: Int, _ min: Int32, _ max: Int32) -> Bool {
        tokens[index].length >= UInt32(bitPattern: min) && tokens[index].length <= UInt32(bitPattern: max)
    }

    /// Whether a number is an unsigned integer, as most are.
    @inline(__always)
    func isCount(_ index: Int) -> Bool {
        tokens[index].isPlain && view.text[Int(tokens[index].start)] != UInt8(ascii: "-")
    }

    @inline(never)
    mutating func isWithin(_ bounds: Int32, _ index: Int) -> Bool {
        guard let number = PlainNumber(bytes(tokens[index])) else {
            return numbers[Int(bounds)].admit(view.number(tokens[index]))
        }
        return numbers[Int(bounds)].admit(number)
    }
}

extension FlatProgram.NumberBounds {
    @inline(__always)
    fileprivate func admit(_ number: PlainNumber) -> Bool {
        if isInteger, number.hasFraction { return false }
        if let min, excludesMin ? !(number.isAbove(min)) : number.isBelow(min) { return false }
        if let max, excludesMax ? !(number.isBelow(max)) : number.isAbove(max) { return false }
        return true
    }

    /// The same check for a number of any size.
    fileprivate func admit(_ number: JSONNumber) -> Bool {
        if isInteger, !number.isInteger { return false }
        if let min, excludesMin ? number <= JSONNumber(min) : number < JSONNumber(min) { return false }
        if let max, excludesMax ? number >= JSONNumber(max) : number > JSONNumber(max) { return false }
        return true
    }
}

/// A number without exponent and with at most 18 integer digits: its integer part, and whether it has a fraction.
private struct PlainNumber {
    private var whole = 0
    private var isNegative = false
    private(set) var hasFraction = false

    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var count = 0
        var isFraction = false
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            if digit < 10 {
                if isFraction {
                    if digit > 0 { hasFraction = true }
                } else {
                    count += 1
                    guard count <= 18 else { return nil }
                    whole = whole &* 10 &+ Int(digit)
                }
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte == UInt8(ascii: "-"), count == 0 {
                isNegative = true
            } else {
                return nil
            }
        }
        if isNegative { whole = -whole }
    }

    func isAbove(_ bound: Int) -> Bool { whole > bound || (whole == bound && hasFraction && !isNegative) }

    func isBelow(_ bound: Int) -> Bool { whole < bound || (whole == bound && hasFraction && isNegative) }
}
