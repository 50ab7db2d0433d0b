/// Lets one command through at a time, in the order of asking.
actor CommandGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for its turn; each command is bounded, and so is the wait for it.
    func enter() async {
        if !isBusy {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next one through.
    func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
