/// The rules of the state table about a message of the person and the wait for its answer; judged by the model.
extension CLIENT {
    /// CLIENT-24: "A client MUST regard a message as sent only on a frame, response or history that carries its
    /// `clientMessageId` or `turnId` and does not refuse it".
    ///
    /// Tested once for each sample of a message before the first proof, including after a refusal, at a later launch,
    /// or if it was never sent or never arrived.
    static func sentMeansConfirmed(_ history: Observations, _ evidence: inout Evidence) {
        evidence.add(history.messageModel[.proof])
    }

    /// CLIENT-30: "A client MUST end the thinking state when the ending of the awaited turn, or a refusal of its
    /// message, arrives by any route, until it sends again".
    ///
    /// Tested once for each ending or refusal of a message that a screen waited for, if the screen stops waiting.
    static func finishedMessagesAreNotAwaited(_ history: Observations, _ evidence: inout Evidence) {
        evidence.add(history.messageModel[.waiting])
    }

    /// CLIENT-31: "A client MUST NOT show a message as failed after its `done`, nor start doing so within `polling` of
    /// its `ack` while the `ack`'s connection stands and no ending came".
    ///
    /// Tested once for each answer of a message that was shown as failed before, or beside an error that names it, if a
    /// sample at it followed.
    static func answersClearFailures(_ history: Observations, _ evidence: inout Evidence) {
        evidence.add(history.messageModel[.answered])
    }

    /// CLIENT-31, rule 2: a message is not shown as failed within `polling` of an `ack` whose connection is still open.
    ///
    /// Tested once for each message that was seen meanwhile. A client that has read twice since may have polled to the
    /// end (CLIENT-39).
    static func runningMessagesAreNotShownAsFailed(_ history: Observations, _ evidence: inout Evidence) {
        evidence.add(history.messageModel[.running])
    }

    /// CLIENT-32: "A client MUST show every `error` that refuses its question or ends that turn, and an error while the
    /// session of a tapped notification cannot be found or read".
    ///
    /// Tested once for each first error of a message, until it is resent or proves to have arrived. Shown means that
    /// the message is marked as failed, or that an error is listed that was not there before; its wording is the
    /// client's own.
    static func errorsAreShown(_ history: Observations, _ evidence: inout Evidence) {
        evidence.add(history.messageModel[.errors])
    }
}
