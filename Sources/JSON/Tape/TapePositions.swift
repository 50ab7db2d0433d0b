/// Positions of values and flaws in the text.
extension JSONTape {
    /// Converts a whole text to a value, and lists its flaws.
    mutating func document(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONProblem) -> JSONDocument {
        let view = try read(bytes)
        return JSONDocument(root: view.value(), flaws: isFlawed ? flaws(view) : [])
    }

    /// The position of the value that a pointer refers to, even if the text breaks off after it.
    mutating func location(of pointer: JSONPointer, in bytes: UnsafeBufferPointer<UInt8>) -> JSONLocation? {
        guard let start = bytes.baseAddress else { return nil }
        let text = JSONText(start: start, end: start + bytes.count)
        _ = try? read(bytes)
        let view = view(text)
        var position = 0
        for token in pointer.tokens {
            guard let next = view.child(token, of: position) else { return nil }
            position = next
        }
        return position < count ? text.location(view.offset(of: view.tokens[position])) : nil
    }

    /// The flaws of a text in order, up to the limit.
    private func flaws(_ view: TapeView) -> [JSONFlaw] {
        var flaws: [JSONFlaw] = []
        var path: [FlawedContainer] = []
        var surrogates = loneSurrogates[...]
        let text = JSONText(start: view.text, end: view.textEnd)
        // Flaws are in text order, so each location is counted from the previous one.
        var last = JSONLocation.start
        func note(_ kind: JSONFlaw.Kind, at offset: Int) {
            // Keep at least one flaw, so that a strict reader sees it.
            guard flaws.count < max(1, limits.maxFlaws) else { return }
            // A duplicate key is found after the surrogates in it.
            last = text.location(offset, from: offset < last.byteOffset ? .start : last)
            let pointer = JSONPointer(tokens: path.compactMap(\.part))
            flaws.append(JSONFlaw(kind: kind, location: last, pointer: pointer))
        }
        for index in 0..<count {
            let token = view.tokens[index]
            while let top = path.last, top.end <= index { path.removeLast() }
            let isName = path.indices.last.map { path[$0].advance() } ?? false
            while let surrogate = surrogates.first, surrogate.token == index {
                note(.loneSurrogate, at: surrogate.offset)
                surrogates.removeFirst()
            }
            if isName {
                let name = view.string(token)
                path[path.count - 1].name = name
                if !path[path.count - 1].names.insert(ExactString(name)).inserted {
                    note(.duplicateKey(name), at: view.offset(of: token))
                }
            } else if token.kind == .array || token.kind == .object {
                path.append(FlawedContainer(isObject: token.kind == .object, end: Int(token.link)))
            }
        }
        return flaws
    }

    private struct FlawedContainer {
        let isObject: Bool
        let end: Int
        var names: Set<ExactString> = []
        /// The current member; nil before and at a name, whose flaws belong to the object.
        var name: String?
        private var position = -1

        init(isObject: Bool, end: Int) { (self.isObject, self.end) = (isObject, end) }

        /// The current part, as in a pointer.
        var part: String? { isObject ? name : String(position) }

        /// Moves to the next token one level down; true if that is a name.
        mutating func advance() -> Bool {
            position += 1
            guard isObject, position % 2 == 0 else { return false }
            name = nil
            return true
        }
    }
}

extension TapeView {
    /// The start of a value or key in the text.
    fileprivate func offset(of token: TapeToken) -> Int {
        guard token.kind == .string else { return Int(token.start) }
        guard token.isInAnnex else { return Int(token.start) - 1 }
        let offset = UnsafeRawPointer(annex + Int(token.start) - 4).loadUnaligned(as: UInt32.self)
        return Int(offset) - 1
    }

    /// The value for one step of a pointer; of several members with one name, the last.
    fileprivate func child(_ step: String, of index: Int) -> Int? {
        switch index < count ? tokens[index].kind : .null {
        case .object: return parts(of: index).reversed().first { isNamed(step, $0) }.map { $0 + 1 }
        case .array:
            guard let position = JSONPointer.index(step) else { return nil }
            return parts(of: index).dropFirst(position).first { _ in true }
        default: return nil
        }
    }
}
