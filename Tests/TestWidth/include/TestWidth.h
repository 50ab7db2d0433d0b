// Nothing to call: what is linked with this acts before the tests begin.
