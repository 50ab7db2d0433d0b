import HoldfastPlatform
import HoldfastSmallFoundation

/// A certificate authority that `openssl` makes for one run; it signs one certificate, and its key is deleted.
///
/// Clients that trust ``certificate`` trust the server. A fixed pair would be simpler, but its key would be public, and
/// it could not name the address of this machine that a phone uses.
public struct ThrowAwayAuthority: Sendable {
    /// The authority's certificate in PEM, for clients to trust.
    public let certificate: String
    /// The server's certificate and its key.
    public let identity: TLSIdentity

    /// Makes the authority and the server's certificate.
    ///
    /// - Parameter host: Another name or address of the server, besides localhost, 127.0.0.1 and ::1.
    /// - Throws: `tls` without `openssl`, or if a certificate cannot contain the host.
    public init(for host: String = "localhost") throws(TransportProblem) {
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !",;=[]$\\\"#".utf8.contains($0) }) else {
            throw TransportProblem(.tls(reason: "host names in a certificate are ASCII"), at: host)
        }
        guard let generated = Self.generated(for: host) else {
            throw TransportProblem(.tls(reason: "'openssl' is missing, or cannot make a certificate"), at: host)
        }
        (certificate, identity) = generated
    }

    private static func generated(for host: String) -> (String, TLSIdentity)? {
        let files = FileManager.default
        let folder = "\(files.temporaryDirectory.path)/holdfast-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: folder) }
        do {
            // For a moment, the folder contains the keys.
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try Data(settings(for: host).utf8).write(to: URL(fileURLWithPath: "\(folder)/settings"))
            let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            let steps = [
                ["req", "-x509", "-extensions", "authority", "-days", "30"] + key
                    + ["-keyout", "\(folder)/authority.key", "-out", "\(folder)/authority"],
                ["req", "-subj", "/CN=localhost"] + key + ["-keyout", "\(folder)/key", "-out", "\(folder)/request"],
                [
                    "x509", "-req", "-in", "\(folder)/request", "-CA", "\(folder)/authority", "-CAkey",
                    "\(folder)/authority.key", "-set_serial", "\(UInt64.random(in: 1 ... .max))", "-days", "30",
                    "-extfile", "\(folder)/settings", "-extensions", "server", "-out", "\(folder)/certificate",
                ],
            ]
            for step in steps {
                let settings = step[0] == "req" ? ["-config", "\(folder)/settings"] : []
                guard Processes.output(of: ["openssl"] + step + settings) != nil else { return nil }
            }
            func text(_ name: String) throws -> String {
                String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
            }
            let authority = try text("authority")
            return (authority, TLSIdentity(chain: try text("certificate") + authority, key: try text("key")))
        } catch {
            return nil
        }
    }

    /// Settings that `openssl` 1.1.1 and LibreSSL read; strict clients require the key identifiers.
    private static func settings(for host: String) -> String {
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        return """
            [req]
            distinguished_name = name
            prompt = no
            [name]
            CN = Holdfast, for one run
            [authority]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid
            [server]
            basicConstraints = critical, CA:FALSE
            keyUsage = critical, digitalSignature
            extendedKeyUsage = serverAuth
            subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1, \(isAddress ? "IP" : "DNS"):\(host)
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid

            """
    }
}
