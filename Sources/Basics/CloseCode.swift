/// Whether a close frame may carry a code (RFC 6455 section 7.4 and the registry that grew from it).
package func isCloseCode(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
}
