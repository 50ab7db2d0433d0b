import HoldfastBasics

/// ECDSA signatures on the curve P-256 with SHA-256 (FIPS 186-4), for certificates that live for one run.
///
/// A crypto package would add a second TLS library, two fifths of a first build. These computations take a time that
/// depends on the key: use them only for a throw-away key that never leaves this machine.
struct P256 {
    let privateKey: [UInt8]
    /// The public key as an uncompressed point: 4, x, y (SEC 1, section 2.3.3).
    let publicKey: [UInt8]

    private let secret: Words

    init() {
        var generator = SystemRandomNumberGenerator()
        var key = [UInt8]()
        repeat { key = (0..<32).map { _ in generator.next() } } while !Self.isKey(Words(bytes: key))
        self.init(checked: key)
    }

    /// Uses a key of 32 bytes; nil if it is outside the order of the curve.
    init?(privateKey: [UInt8]) {
        guard privateKey.count == 32, Self.isKey(Words(bytes: privateKey)) else { return nil }
        self.init(checked: privateKey)
    }

    private init(checked key: [UInt8]) {
        privateKey = key
        secret = Words(bytes: key)
        let (x, y) = Point.generator.times(secret).coordinates
        publicKey = [4] + x.bytes + y.bytes
    }

    /// Signs a message: r and s, 32 bytes each, with the deterministic nonce of RFC 6979.
    func signature(of message: [UInt8]) -> (r: [UInt8], s: [UInt8]) {
        let order = PrimeField.order
        let digest = SHA256.digest(message)
        let hash = order.reduced(Words(bytes: digest))
        var nonces = Nonces(key: privateKey, digest: hash.bytes)
        while true {
            let nonce = Words(bytes: nonces.next())
            guard Self.isKey(nonce) else { continue }
            let r = order.reduced(Point.generator.times(nonce).coordinates.x)
            let sum = order.sum(order.montgomery(hash), order.product(order.montgomery(r), order.montgomery(secret)))
            let s = order.plain(order.product(order.inverse(order.montgomery(nonce)), sum))
            if !r.isZero, !s.isZero { return (r.bytes, s.bytes) }
        }
    }

    private static func isKey(_ words: Words) -> Bool { !words.isZero && words < PrimeField.order.modulus }
}

/// Nonces from a key and a digest (RFC 6979, section 3.2).
private struct Nonces {
    private var key = [UInt8](repeating: 0, count: 32)
    private var value = [UInt8](repeating: 1, count: 32)
    private var isFirst = true

    init(key secret: [UInt8], digest: [UInt8]) {
        for round: UInt8 in 0...1 {
            key = hmac(value + [round] + secret + digest)
            value = hmac(value)
        }
    }

    mutating func next() -> [UInt8] {
        if !isFirst {
            key = hmac(value + [0])
            value = hmac(value)
        }
        isFirst = false
        value = hmac(value)
        return value
    }

    /// HMAC with SHA-256 (RFC 2104), for keys shorter than a block.
    private func hmac(_ message: [UInt8]) -> [UInt8] {
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        return SHA256.digest(block.map { $0 ^ 0x5C } + SHA256.digest(block.map { $0 ^ 0x36 } + message))
    }
}

/// A number of 256 bits.
private struct Words: Comparable {
    /// Four words, the least significant first.
    var words: [UInt64]

    init(_ words: [UInt64]) { self.words = words }

    /// Reads 32 bytes, most significant first.
    init(bytes: [UInt8]) {
        words = (0..<4).map { index in bytes[(24 - 8 * index)..<(32 - 8 * index)].reduce(0) { $0 << 8 | UInt64($1) } }
    }

    static let one = Words([1, 0, 0, 0])

    var bytes: [UInt8] {
        words.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    var isZero: Bool { words.allSatisfy { $0 == 0 } }

    func bit(_ index: Int) -> Bool { words[index / 64] >> UInt64(index % 64) & 1 == 1 }

    static func < (left: Words, right: Words) -> Bool {
        for index in (0..<4).reversed() where left.words[index] != right.words[index] {
            return left.words[index] < right.words[index]
        }
        return false
    }

    func adding(_ other: Words) -> (sum: Words, overflows: Bool) {
        var (sum, carry) = (words, false)
        for index in 0..<4 {
            let (first, overflow) = words[index].addingReportingOverflow(other.words[index])
            let (second, again) = first.addingReportingOverflow(carry ? 1 : 0)
            sum[index] = second
            carry = overflow || again
        }
        return (Words(sum), carry)
    }

    /// The difference modulo 2^256, and whether it was negative.
    func subtracting(_ other: Words) -> (difference: Words, isNegative: Bool) {
        var (difference, borrow) = (words, false)
        for index in 0..<4 {
            let (first, overflow) = words[index].subtractingReportingOverflow(other.words[index])
            let (second, again) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            difference[index] = second
            borrow = overflow || again
        }
        return (Words(difference), borrow)
    }
}

/// Arithmetic modulo a prime above 2^255, in Montgomery form (Handbook of Applied Cryptography, 14.36).
private struct PrimeField {
    let modulus: Words
    /// -1 / modulus, modulo 2^64.
    private let factor: UInt64
    /// 2^512 modulo the modulus; converts a number to Montgomery form.
    private let square: Words

    static let coordinates = PrimeField([
        0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001,
    ])
    /// The numbers modulo the order of the curve.
    static let order = PrimeField([
        0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000,
    ])

    private init(_ words: [UInt64]) {
        let modulus = Words(words)
        var inverse: UInt64 = 1
        for _ in 0..<6 { inverse = inverse &* (2 &- words[0] &* inverse) }
        var square = Words.one
        for _ in 0..<512 { square = Self.sum(square, square, modulus) }
        self.modulus = modulus
        self.factor = 0 &- inverse
        self.square = square
    }

    private static func sum(_ left: Words, _ right: Words, _ modulus: Words) -> Words {
        let (sum, overflows) = left.adding(right)
        return overflows || sum >= modulus ? sum.subtracting(modulus).difference : sum
    }

    func sum(_ left: Words, _ right: Words) -> Words { Self.sum(left, right, modulus) }

    func difference(_ left: Words, _ right: Words) -> Words {
        let (difference, isNegative) = left.subtracting(right)
        return isNegative ? difference.adding(modulus).sum : difference
    }

    /// The product of two numbers in Montgomery form.
    func product(_ left: Words, _ right: Words) -> Words {
        var result = [UInt64](repeating: 0, count: 6)
        for word in left.words {
            add(right, times: word, to: &result)
            add(modulus, times: result[0] &* factor, to: &result)
            result = Array(result[1...]) + [0]
        }
        let words = Words(Array(result[..<4]))
        return result[4] > 0 || words >= modulus ? words.subtracting(modulus).difference : words
    }

    private func add(_ number: Words, times word: UInt64, to result: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in 0..<4 {
            let (high, low) = number.words[index].multipliedFullWidth(by: word)
            let (first, overflows) = low.addingReportingOverflow(result[index])
            let (second, again) = first.addingReportingOverflow(carry)
            result[index] = second
            carry = high + (overflows ? 1 : 0) + (again ? 1 : 0)
        }
        let (sum, overflows) = result[4].addingReportingOverflow(carry)
        result[4] = sum
        result[5] &+= overflows ? 1 : 0
    }

    func reduced(_ number: Words) -> Words { number >= modulus ? number.subtracting(modulus).difference : number }
    func montgomery(_ number: Words) -> Words { product(number, square) }
    func plain(_ number: Words) -> Words { product(number, .one) }

    /// The inverse in Montgomery form, by Fermat's little theorem.
    func inverse(_ number: Words) -> Words {
        let exponent = modulus.subtracting(Words([2, 0, 0, 0])).difference
        return (0..<256).reversed().reduce(montgomery(.one)) { power, index in
            let square = product(power, power)
            return exponent.bit(index) ? product(square, number) : square
        }
    }
}

/// A point of the curve y² = x³ - 3x + b in projective coordinates, each in Montgomery form.
private struct Point {
    var x, y, z: Words

    private static let field = PrimeField.coordinates
    private static let infinity = Point(x: Words([0, 0, 0, 0]), y: field.montgomery(.one), z: Words([0, 0, 0, 0]))
    private static let b = field.montgomery(
        Words([0x3bce_3c3e_27d2_604b, 0x651d_06b0_cc53_b0f6, 0xb3eb_bd55_7698_86bc, 0x5ac6_35d8_aa3a_93e7]))

    static let generator = Point(
        x: field.montgomery(
            Words([0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247])),
        y: field.montgomery(
            Words([0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b])),
        z: field.montgomery(.one))

    /// The plain coordinates; the point must not be infinity.
    var coordinates: (x: Words, y: Words) {
        let field = Self.field
        let inverse = field.inverse(z)
        return (field.plain(field.product(x, inverse)), field.plain(field.product(y, inverse)))
    }

    /// The scalar multiple of the point.
    func times(_ count: Words) -> Point {
        (0..<256).reversed().reduce(Self.infinity) { sum, index in
            let double = sum + sum
            return count.bit(index) ? double + self : double
        }
    }

    /// The complete addition formula for a = -3, valid for any two points (Renes, Costello and Batina 2016, algorithm
    /// 4).
    static func + (left: Point, right: Point) -> Point {
        func product(_ a: Words, _ b: Words) -> Words { field.product(a, b) }
        func sum(_ a: Words, _ b: Words) -> Words { field.sum(a, b) }
        func difference(_ a: Words, _ b: Words) -> Words { field.difference(a, b) }
        func triple(_ a: Words) -> Words { field.sum(field.sum(a, a), a) }
        let (xx, yy, zz) = (product(left.x, right.x), product(left.y, right.y), product(left.z, right.z))
        let xy = difference(product(sum(left.x, left.y), sum(right.x, right.y)), sum(xx, yy))
        let yz = difference(product(sum(left.y, left.z), sum(right.y, right.z)), sum(yy, zz))
        let xz = difference(product(sum(left.x, left.z), sum(right.x, right.z)), sum(xx, zz))
        let first = triple(difference(xz, product(b, zz)))
        let (low, high) = (difference(yy, first), sum(yy, first))
        let second = triple(difference(difference(product(b, xz), triple(zz)), xx))
        let third = difference(triple(xx), triple(zz))
        return Point(
            x: difference(product(xy, high), product(yz, second)), y: sum(product(high, low), product(third, second)),
            z: sum(product(yz, low), product(xy, third)))
    }
}
