import Reference
import Transport

// Where the reference server pushes to, as flags say.
extension ServeCommand {
    /// Names and tokens; a token is never repeated in a message.
    func pairs(
        _ texts: [String], _ flag: String, example: String
    ) throws -> [(name: String, token: String)] {
        try texts.map { text in
            guard let cut = text.firstIndex(of: "="), cut != text.startIndex, text.index(after: cut) != text.endIndex
            else {
                throw Tool.refuse(flag, "no name and token", expected: "name=token", fix: "for instance \(example)")
            }
            return (String(text[..<cut]), String(text[text.index(after: cut)...]))
        }
    }

    /// The push service that the flags describe; nil without one.
    func pushService(for principals: [(name: String, token: String)]) throws -> PushService? {
        let devices = try pairs(devices, "--device", example: "p1=ab12")
        guard let pushUrl else {
            guard devices.isEmpty else {
                throw Tool.refuse(
                    "--device", "there is no push service", expected: "--push-url beside it",
                    fix: "give --push-url, or leave --device out")
            }
            return nil
        }
        do {
            _ = try Endpoint(pushUrl)
        } catch {
            throw Tool.refuse("--push-url", "\(error)", expected: "an http or https URL", fix: "correct it")
        }
        for (name, token) in devices {
            guard principals.contains(where: { $0.name == name }) else {
                throw Tool.refuse(
                    "--device", "no principal is named '\(name)'",
                    expected: principals.map(\.name).sorted().joined(separator: ", "), fix: "correct the name")
            }
            guard
                token.unicodeScalars.allSatisfy({
                    $0 == "-" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                })
            else {
                throw Tool.refuse(
                    "--device", "the token of \(name) has other characters than letters, digits and '-'",
                    expected: "a device token in hexadecimal", fix: "correct it")
            }
        }
        return PushService(url: pushUrl, topic: topic, devices: devices.map { ($0.name, $0.token) })
    }
}
