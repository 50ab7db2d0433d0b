/// The encoding of RFC 3492.
enum Punycode {
    private static let base = 36
    private static let firstThreshold = 1
    private static let lastThreshold = 26

    static func decode(_ text: String) -> [Unicode.Scalar]? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 63, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        var output: [Unicode.Scalar] = []
        var rest = bytes[...]
        if let dash = bytes.lastIndex(of: UInt8(ascii: "-")) {
            guard dash > 0 else { return nil }
            output = bytes[..<dash].map { Unicode.Scalar($0) }
            rest = bytes[(dash + 1)...]
        }
        var code = 128
        var position = 0
        var bias = 72
        while !rest.isEmpty {
            let before = position
            var weight = 1
            var step = base
            while true {
                guard let byte = rest.popFirst(), let digit = digit(byte) else { return nil }
                position += digit * weight
                let threshold = min(max(step - bias, firstThreshold), lastThreshold)
                if digit < threshold { break }
                weight *= base - threshold
                // Far beyond any scalar: the text is nonsense, and the numbers must not overflow.
                guard weight < 1 << 40, position < 1 << 40 else { return nil }
                step += base
            }
            let count = output.count + 1
            bias = adapt(position - before, count, isFirst: before == 0)
            code += position / count
            position %= count
            guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else { return nil }
            output.insert(scalar, at: position)
            position += 1
        }
        return output
    }

    static func encode(_ scalars: [Unicode.Scalar]) -> String? {
        // A label has at most 63 characters in the end; longer ones need no answer.
        guard scalars.count <= 63 else { return nil }
        let basic = scalars.filter(\.isASCII)
        var output = String(String.UnicodeScalarView(basic))
        if !basic.isEmpty { output += "-" }
        var code: UInt32 = 128
        var delta = 0
        var bias = 72
        var handled = basic.count
        while handled < scalars.count {
            guard let next = scalars.map(\.value).filter({ $0 >= code }).min() else { return nil }
            delta += Int(next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar.value < code { delta += 1 }
                guard scalar.value == code else { continue }
                var rest = delta
                var step = base
                while true {
                    let threshold = min(max(step - bias, firstThreshold), lastThreshold)
                    if rest < threshold { break }
                    output.unicodeScalars.append(letter(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    step += base
                }
                output.unicodeScalars.append(letter(rest))
                bias = adapt(delta, handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return output
    }

    private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - firstThreshold) * lastThreshold / 2 {
            delta /= base - firstThreshold
            steps += base
        }
        return steps + (base - firstThreshold + 1) * delta / (delta + 38)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        if CharacterTests.isDigit(byte) { return Int(byte) - 0x30 + 26 }
        return CharacterTests.isLetter(byte) ? Int(byte | 0x20) - 0x61 : nil
    }

    private static func letter(_ digit: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(digit < 26 ? 0x61 + digit : 0x30 + digit - 26))
    }
}
