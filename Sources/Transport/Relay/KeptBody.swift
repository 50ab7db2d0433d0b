import NIOCore

/// A copy of a body for the watcher, within the relay's limits.
struct KeptBody {
    private var bytes: [UInt8] = []
    private var isUnseen = false
    private let limit: Int
    private let registry: ServerRegistry
    private let maxTotal: Int

    init(_ limits: RelayLimits, _ registry: ServerRegistry) {
        limit = limits.maxBodyBytes
        maxTotal = limits.maxHeldBytes
        self.registry = registry
    }

    var isTooLarge: Bool { isUnseen }

    mutating func add(_ part: ByteBuffer) {
        guard !isUnseen else { return }
        guard bytes.count + part.readableBytes <= limit, registry.hold(part.readableBytes, of: maxTotal) else {
            isUnseen = true
            return drop()
        }
        bytes += part.readableBytesView
    }

    mutating func take() -> RelayBody {
        defer { drop() }
        return isUnseen ? .unseen : .whole(bytes)
    }

    mutating func drop() {
        registry.release(bytes.count)
        bytes = []
    }
}
