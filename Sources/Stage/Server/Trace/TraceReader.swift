/// Reads what `strace -f -ttt -yy` wrote.
struct TraceReader {
    private struct Unfinished {
        var name: String
        var arguments: [UInt8]
        var began: Int
    }

    private var calls: [SystemCall] = []
    private var unfinished: [String: Unfinished] = [:]

    /// The calls of a trace that have ended; lines that tell of none, such as ends of processes, are left out.
    static func calls(in trace: [UInt8]) -> [SystemCall] {
        var reader = TraceReader()
        for (number, line) in trace.split(separator: UInt8(ascii: "\n")).enumerated() { reader.read(line, number) }
        return reader.calls
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
        // Process and time stand first.
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3 else { return }
        let process = String(decoding: words[0], as: UTF8.self)
        let text = words[2].drop { $0 == UInt8(ascii: " ") }
        if text.starts(with: Self.resumes) {
            guard let end = text.firstIndex(of: UInt8(ascii: ">")), let open = unfinished.removeValue(forKey: process)
            else { return }
            finish(open, open.arguments + text[(end + 1)...], number)
        } else if let parenthesis = text.firstIndex(of: UInt8(ascii: "(")) {
            let name = String(decoding: text[..<parenthesis], as: UTF8.self)
            guard name.utf8.allSatisfy(Self.isOfName) else { return }
            let open = Unfinished(name: name, arguments: Array(text[(parenthesis + 1)...]), began: number)
            guard text.reversed().starts(with: Self.isUnfinished.reversed()) else {
                return finish(open, open.arguments, number)
            }
            unfinished[process] = Unfinished(
                name: name, arguments: open.arguments.dropLast(Self.isUnfinished.count), began: number)
        }
    }

    /// Takes apart what follows the opening parenthesis: arguments, the closing one, blanks, `=`, and the result.
    private mutating func finish(_ open: Unfinished, _ text: [UInt8], _ number: Int) {
        var index = text.count - 3
        while index > 0 {
            if text[index] == UInt8(ascii: " "), text[index + 1] == UInt8(ascii: "="),
                text[index + 2] == UInt8(ascii: " ")
            {
                let before = text[..<index].reversed().drop { $0 == UInt8(ascii: " ") }
                if before.first == UInt8(ascii: ")") {
                    calls.append(
                        SystemCall(
                            name: open.name, arguments: before.dropFirst().reversed(),
                            result: Array(text[(index + 3)...]), began: open.began, ended: number))
                    return
                }
            }
            index -= 1
        }
    }

    private static let resumes = Array("<... ".utf8)
    private static let isUnfinished = Array(" <unfinished ...>".utf8)

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
