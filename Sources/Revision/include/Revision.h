/// The commit that the program was built of, in full; empty where nobody knows.
const char *_Nonnull holdfastRevision(void);
/// The address of the folder of the release that the program belongs to; empty where it belongs to none.
const char *_Nonnull holdfastRelease(void);
