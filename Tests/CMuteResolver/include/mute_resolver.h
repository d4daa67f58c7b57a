/* The search for a machine's address, in the tests' process: a name that ends in ".mute.invalid" gets no answer. */

/* Ends all searches for such names that are under way, without an address. */
void mute_resolver_give_up(void);
