package golden

// nonBlocking is no flag of a browser, which has no pipes.
const nonBlocking = 0
