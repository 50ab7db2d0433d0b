import Foundation

@testable import HoldfastTransport

/// A self-signed certificate for localhost and 127.0.0.1, valid from 2020 to 2120; its key is public and protects nothing.
struct ThrowAwayCertificate {
    let folder: URL
    var certificateFile: String { folder.appendingPathComponent("certificate.pem").path }
    var keyFile: String { folder.appendingPathComponent("key.pem").path }
    var identity: TLSIdentity { TLSIdentity(certificateFile: certificateFile, keyFile: keyFile) }

    /// Writes both files into a folder of their own; `remove` deletes it.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("transport-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.certificate.utf8).write(to: URL(fileURLWithPath: certificateFile))
        try Data(Self.key.utf8).write(to: URL(fileURLWithPath: keyFile))
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUGgAwIBAgIUPC7hNICgsXgxotpdg8tPv7gHvXgwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAwMjMyNFoYDzIxMjYxMDI4
        MDAyMzI0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARjQ++7E46u5yti8ffFcKmy+qJQj0C1LzgQ543U4bGDfeD/srJJvZmD
        aizicERRKIOKX6kbINbfORkdTQrFebrao28wbTAdBgNVHQ4EFgQUACC5WP70gYq6
        3fTF/jw9TpMIVi8wHwYDVR0jBBgwFoAUACC5WP70gYq63fTF/jw9TpMIVi8wGgYD
        VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
        zj0EAwIDSQAwRgIhAPtwBQ2zkzd8m71cVpVQzmSA/AbcrxRfzy+0yMeBJmb0AiEA
        3C8pKFzjqcnKxgt4unqhnZqHLkxOjzs+oyO5nimYFs8=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmvYOVu0crVlkoez1
        1XJ0sb8qsiplxCS64KLCs1dghkyhRANCAARjQ++7E46u5yti8ffFcKmy+qJQj0C1
        LzgQ543U4bGDfeD/srJJvZmDaizicERRKIOKX6kbINbfORkdTQrFebra
        -----END PRIVATE KEY-----
        """
}
