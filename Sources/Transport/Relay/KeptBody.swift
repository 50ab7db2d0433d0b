import NIOCore

/// A copy of a body for the watcher, within the relay's limits.
struct KeptBody {
    private var bytes: [UInt8] = []
    private var isUnseen = false
    private let limit: Int
    private let account: ServerRegistry
    private let total: Int

    init(_ limits: RelayLimits, _ account: ServerRegistry) {
        limit = limits.maxBodyBytes
        total = limits.maxHeldBytes
        self.account = account
    }

    var isTooLarge: Bool { isUnseen }

    mutating func add(_ part: ByteBuffer) {
        guard !isUnseen else { return }
        guard bytes.count + part.readableBytes <= limit, account.hold(part.readableBytes, of: total) else {
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
        account.release(bytes.count)
        bytes = []
    }
}
