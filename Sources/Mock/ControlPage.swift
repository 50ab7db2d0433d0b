import HoldfastTransport

/// The page of the control port: one document, nothing loaded from elsewhere.
///
/// Everything that comes from clients or from the server is put in as text and never as markup, and the policy lets no other
/// script run than the one that came with the page.
enum ControlPage {
    static func response() -> HTTPServerResponse {
        var generator = SystemRandomNumberGenerator()
        let nonce = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return HTTPServerResponse(
            headers: [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)],
            body: Array(document.replacing("NONCE", with: nonce).utf8))
    }

    private static let document = Resources.controlHTML.replacing("STYLE", with: Resources.controlCSS)
        .replacing("SCRIPT", with: Resources.controlJS)
}
