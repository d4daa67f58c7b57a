/* The search for a machine's address, in the tests' process: a name that ends in ".mute.invalid" never gets an answer. */
