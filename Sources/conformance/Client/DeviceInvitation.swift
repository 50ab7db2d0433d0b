import QRCode

/// What a person needs to let a device connect: the address, and a picture of it for a camera.
struct DeviceInvitation {
    let address: String

    /// Writes it to standard error; the picture only where that is a terminal.
    func show() {
        Console.error("waiting for a driver at \(address)")
        guard Console.showsProgress, let code = QRCode(address) else { return }
        Console.error(code.drawing())
    }
}
