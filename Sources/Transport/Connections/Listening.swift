import NIOCore
import NIOPosix
import Platform

/// Binds a TCP port.
enum Listening {
    static func bind(
        host: String,
        port: Int,
        prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws(TransportProblem) -> any Channel {
        Preparation.run()
        let place = "\(host):\(port)"
        // A larger number would be cut to its last sixteen bits, and something listen where nobody asked for it.
        guard (0...65_535).contains(port) else {
            throw TransportProblem(.cannotListen(reason: "ports go from 0 to 65535"), at: place)
        }
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 512)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer(prepare)
                .bind(host: host, port: port)
                .get()
        } catch {
            throw TransportProblem(.cannotListen(reason: reason(error)), at: place, causes: ["\(error)"])
        }
    }

    /// In the words of people what they can do something about, else in those of the library.
    private static func reason(_ error: any Error) -> String {
        switch (error as? IOError)?.reason {
        case .addressInUse: "something listens there already"
        case .addressNotAvailable: "this machine has no such address"
        case .noPermission: "this user may not listen on that port"
        default: error is SocketAddressError.UnknownHost ? "no host has that name" : "\(error)"
        }
    }

    /// Returns when nothing listens any more.
    static func close(_ channel: any Channel) async {
        channel.close(promise: nil)
        _ = try? await channel.closeFuture.get()
    }
}
