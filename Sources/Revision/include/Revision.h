/// The commit that the program was built of, in full; empty where nobody knows.
const char *_Nonnull holdfastRevision(void);
