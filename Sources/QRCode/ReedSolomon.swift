/// Error correction over the field of 256 elements that QR codes use, with the polynomial 0x11D.
enum ReedSolomon {
    private static let powers: [Int] = {
        var powers = [1]
        for _ in 1..<255 {
            let next = powers[powers.count - 1] << 1
            powers.append(next > 255 ? next ^ 0x11D : next)
        }
        return powers
    }()

    private static let logarithms: [Int] = {
        var logarithms = Array(repeating: 0, count: 256)
        for (exponent, value) in powers.enumerated() { logarithms[value] = exponent }
        return logarithms
    }()

    private static func product(_ a: Int, _ b: Int) -> Int {
        a == 0 || b == 0 ? 0 : powers[(logarithms[a] + logarithms[b]) % 255]
    }

    /// The codewords of error correction for a block of data.
    static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        // The generator is the product of (x - 2^i), highest power first, its leading 1 left out.
        var generator = [1]
        for exponent in 0..<count {
            var next = generator + [0]
            for (index, factor) in generator.enumerated() { next[index + 1] ^= product(factor, powers[exponent]) }
            generator = next
        }
        var rest = Array(repeating: 0, count: count)
        for byte in data {
            let factor = Int(byte) ^ rest[0]
            rest = Array(rest.dropFirst()) + [0]
            for index in rest.indices { rest[index] ^= product(generator[index + 1], factor) }
        }
        return rest.map { UInt8($0) }
    }
}
