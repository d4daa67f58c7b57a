/**
 * The messages that others answer. One that is not loaded is fetched alone, when a quote of it comes on the screen, and again when a
 * quote comes on the screen later: it may have changed or gone since.
 */

const NEAR = '300px'; // from the screen at which a message is fetched
const FRESH = 30_000; // ms for which it is not fetched again
const MOST = 500; // messages that are kept

export class Quotes {
  #room;
  #fetched = new Map(); // id → {row, at}: `row` is null if the message is gone, and undefined while it is unknown
  #observer;

  /** @param room `list()`, the `scroller`, and `onFetch(id)` when a message is known, has changed, or is gone */
  constructor(room) {
    this.#room = room;
    this.#observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#meet(/** @type {HTMLElement} */ (target));
    }, { root: room.scroller, rootMargin: `${NEAR} 0px` });
  }

  /** Returns the message with an id; null if it is gone, and nothing if it is not known. */
  of(id) {
    return this.#room.list().get(id) ?? this.#fetched.get(id)?.row;
  }

  /** Observes the element of a quote, in the place of an earlier one. */
  watch(node, before) {
    if (before) this.#observer.unobserve(before);
    this.#observer.observe(node);
  }

  close() {
    this.#observer.disconnect();
  }

  #meet({ isConnected, dataset }) {
    const { of } = dataset;
    const { at = -Infinity } = this.#fetched.get(of) ?? {};
    if (isConnected && !this.#room.list().get(of) && performance.now() - at > FRESH) this.#fetch(of);
  }

  async #fetch(id) {
    const before = this.#fetched.get(id)?.row;
    this.#keep(id, before);
    try {
      const row = (await this.#room.list().fetch(id)) ?? null;
      this.#keep(id, row);
      if (row === null || row.text !== before?.text) this.#room.onFetch(id);
    } catch {
      this.#fetched.delete(id); // there is no connection: it is fetched when the quote comes on the screen again
    }
  }

  #keep(id, row) {
    this.#fetched.delete(id);
    this.#fetched.set(id, { row, at: performance.now() });
    if (this.#fetched.size > MOST) this.#fetched.delete(this.#fetched.keys().next().value);
  }
}
