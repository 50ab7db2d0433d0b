import Foundation
import HoldfastJSON
import Testing

struct `Mutated texts` {
    /// A generator whose numbers are the same in every run.
    private struct Dice {
        var state: UInt64 = 7

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
    }

    @Test func `any bytes end in a value or a problem inside the text`() throws {
        let text = #"{"a":[1,-2.5e3,"x\n\ud83d\ude00é",null,true,{"b":{},"c":[[]]}],"long":"0123456789","é":false}"#
        let pieces = Array("{}[]:,\"\\u0tn-+.eE \t\n".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
        var dice = Dice()
        // A million take minutes and are run by hand, under the address sanitizer.
        let count = ProcessInfo.processInfo.environment["HOLDFAST_MUTATIONS"].flatMap { Int($0) } ?? 10_000
        var acceptedCount = 0
        var tape = JSONTape()
        for _ in 0..<count {
            var bytes = Array(text.utf8)
            for _ in 0...dice.roll(3) {
                let position = dice.roll(bytes.count)
                switch dice.roll(3) {
                case 0: bytes[position] = pieces[dice.roll(pieces.count)]
                case 1: bytes.remove(at: position)
                default: bytes.insert(pieces[dice.roll(pieces.count)], at: position)
                }
            }
            // The tape takes what the strict parser takes, with the same value.
            let strict = try? JSONParser.value(bytes: bytes)
            if `JSON tape`.read(bytes, &tape) != strict { Issue.record("\(bytes)") }
            do {
                let root = try JSONParser.document(bytes: bytes).root
                acceptedCount += 1
                if try JSONParser.value(root.text()) != root { Issue.record("\(root)") }
            } catch {
                if error.location.byteOffset > bytes.count || error.description.isEmpty { Issue.record("\(bytes)") }
            }
            for token in ["a", "long", "é"] {
                let place = JSONParser.location(of: JSONPointer(tokens: [token, "5", "c"]), in: bytes)
                if let place, place.byteOffset >= bytes.count { Issue.record("\(bytes)") }
            }
        }
        // Both ways were taken.
        #expect((count / 100..<count - count / 100).contains(acceptedCount))
    }
}
