import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@Suite struct MessageValidatorTests {
    /// The texts of all message fixtures with their types.
    private func fixtures() throws -> [(file: String, type: String, bytes: [UInt8])] {
        let index = try JSONParser.value(SourceTree.text("Fixtures/index.json"))
        return try #require(index["messages"]?.arrayValue).map { entry in
            let file = try #require(entry["file"]?.stringValue)
            let data = try Data(contentsOf: URL(fileURLWithPath: SourceTree.root + "/Fixtures/" + file))
            return (file, try #require(entry["type"]?.stringValue), Array(data))
        }
    }

    @Test(arguments: [[], Profile.allCases])
    func `the quick way takes what the thorough one takes`(profiles: [Profile]) throws {
        let schemas = try SourceTree.specification().messageSchemas(for: Set(profiles))
        var anyType = MessageValidator(schemas)
        var taken = 0
        var refused = 0
        for (file, type, bytes) in try fixtures() {
            var oneType = MessageValidator(schemas, as: type)
            let byType = bytes.withUnsafeBufferPointer { oneType.isSurelyValid($0) }
            #expect(byType == schemas.validate(bytes: bytes, as: type).isEmpty, "\(file)")
            // A body has no type and is left to the thorough way.
            let byItself = bytes.withUnsafeBufferPointer { anyType.isSurelyValid($0) }
            let hasType = file.hasPrefix("messages/") && (try? JSONParser.value(bytes: bytes))?["type"] != nil
            #expect(byItself == (hasType && schemas.validate(bytes: bytes).isEmpty), "\(file)")
            if byType { taken += 1 } else { refused += 1 }
        }
        #expect(taken > 0 && refused > 0)
    }

    @Test func `a whole number spelled as a fraction is left to the thorough way`() throws {
        var validator = MessageValidator(try SourceTree.specification().messageSchemas(for: [.sync]))
        func takes(_ text: String) -> Bool {
            Array(text.utf8).withUnsafeBufferPointer { validator.isSurelyValid($0) }
        }
        #expect(takes(#"{"type":"done","text":"","sessionId":"s1","turnId":"t1","messageId":"a1","seq":1}"#))
        #expect(!takes(#"{"type":"done","text":"","sessionId":"s1","turnId":"t1","messageId":"a1","seq":1.0}"#))
        #expect(!takes(#"{"type":"done","text":"","sessionId":"s1","turnId":"t1","messageId":"a1","seq":1e0}"#))
    }
}
