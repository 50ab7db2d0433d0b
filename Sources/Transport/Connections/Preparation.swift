import NIOCore
import NIOHTTP1

/// Makes the generic types of the pipelines known to the runtime before two event loops ask for them at once.
///
/// Seen once in fifty starts with Swift 6.3.1 on Linux: the runtime dereferenced a null pointer while both loops
/// instantiated the handler around the HTTP decoder for the first time.
enum Preparation {
    private static let types: [ObjectIdentifier] = [
        ObjectIdentifier(HTTPRequestDecoder.self),
        ObjectIdentifier(HTTPResponseDecoder.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPRequestDecoder>.self),
        ObjectIdentifier(ByteToMessageHandler<HTTPResponseDecoder>.self),
    ]

    /// Does its work at the first call; later ones cost nothing.
    @inline(never)
    static func run() {
        withExtendedLifetime(types) {}
    }
}
