/// Checks of recovery, as the person sees it.
enum CLIENT {
    static let checks: [Check] = [
        Check(.CLIENT, 1, foregroundReconnects), Check(.CLIENT, 2, oldConnectionsRest),
        Check(.CLIENT, 3, firstConnectionIsKept), Check(.CLIENT, 4, connectedIsShownWhenTold),
        Check(.CLIENT, 5, attemptsAreBounded), Check(.CLIENT, 6, waitsVary), Check(.CLIENT, 7, attemptsGoOn),
        Check(.CLIENT, 8, networkReturnReconnects), Check(.CLIENT, 9, terminalClosesAreFinal),
        Check(.CLIENT, 10, silenceEndsTheConnection), Check(.CLIENT, 11, lostQuestionsAreSentAgain),
        Check(.CLIENT, 12, theSameIsSentAgain), Check(.CLIENT, 13, eachMessageHasAKeyOfItsOwn),
        Check(.CLIENT, 14, onlyItsOwnTurnProvesDelivery), Check(.CLIENT, 15, reconnectsAreFollowedByRecovery),
        Check(.CLIENT, 16, placesAreSynced), Check(.CLIENT, 17, gapsAreRead), Check(.CLIENT, 18, pagesAreFollowed),
        Check(.CLIENT, 19, allThatWasMissedIsShown), Check(.CLIENT, 20, recoveryNeverShowsLess),
        Check(.CLIENT, 21, oneReadServesAll), Check(.CLIENT, 22, pollingIsBounded),
        Check(.CLIENT, 23, pollingEndsInTheOpen), Check(.CLIENT, 24, anEndingEndsTheWaiting),
        Check(.CLIENT, 25, messagesAreShownOnce), Check(.CLIENT, 26, sessionsAreKeptApart),
        Check(.CLIENT, 27, holesAreKept), Check(.CLIENT, 28, epochsComeWhole),
        Check(.CLIENT, 29, unknownTypesMovePlaces), Check(.CLIENT, 30, sparseFramesAreShown),
        Check(.CLIENT, 31, errorsAreShown), Check(.CLIENT, 32, rateLimitsAreWaitedFor),
        Check(.CLIENT, 33, launchesLeadToTheMessage), Check(.CLIENT, 34, returnsLeadToTheMessage),
        Check(.CLIENT, 35, tapsLeaveTheScreen), Check(.CLIENT, 36, lostSessionsAreTold),
        Check(.CLIENT, 37, pushesRecover), Check(.CLIENT, 38, aTurnIsFoundByItsKey),
        Check(.CLIENT, 39, troublesAreToldApart), Check(.CLIENT, 40, messagesComeWithoutSocket),
        Check(.CLIENT, 42, othersAreCounted), Check(.CLIENT, 43, returnsAreNotBlank),
        Check(.CLIENT, 45, nothingIsAskedTwice),
        Check(.CLIENT, 46, aRefusalEndsTheWaiting), Check(.CLIENT, 47, refusalsSettle),
    ]
}
