/** The members of the room that is shown, beyond those with a row: pages of all, and those whom the user looks for. */

const PAGE = 100; // people
const REST = 150; // ms without a key after which the server is asked

export class MemberPages {
  #page;
  #rows; // name → row, of the pages that were loaded; as of then
  #after; // the name after which the next page begins
  #hasEnded; // whether there is no next page
  #found; // name → row, of those who were found
  #turn; // another one for each room

  /** @param page `chat()`; `room()`, the name of the room that is shown; and `list()`, its list of members */
  constructor(page) {
    this.#page = page;
    this.enter();
  }

  /** Another room is shown. */
  enter() {
    [this.#rows, this.#after, this.#hasEnded, this.#found, this.#turn] = [new Map(), undefined, false, new Map(), {}];
  }

  /** Whether the room has people without a row. */
  get isCut() {
    const { counts = {}, sections = [] } = this.#page.list()?.snapshot() ?? {};
    return sections.some(({ id, rows }) => rows.length < counts[id]);
  }

  /** Whether there may be members to load. */
  get hasNext() {
    return !this.#hasEnded;
  }

  /** The loaded people without a row of their own in the list. */
  get loaded() {
    return this.#withoutRow(this.#rows);
  }

  /** The same, with those who were found. */
  get known() {
    return this.#withoutRow(new Map([...this.#rows, ...this.#found]));
  }

  /** Returns the row of a person who has none in the list, as far as it is known. */
  get(name) {
    return this.#found.get(name) ?? this.#rows.get(name);
  }

  #withoutRow = (rows) => [...rows.values()].filter(({ id }) => !this.#page.list()?.get(id));

  #request(place) {
    return this.#page.chat().findMembers(this.#page.room(), place);
  }

  /** Loads pages until one has a person without a row. Resolves to whether one has; to nothing if another room is shown. */
  async next() {
    const turn = this.#turn;
    let isNew = false;
    while (!isNew && turn === this.#turn && !this.#hasEnded) {
      const { rows, after } = await this.#request({ after: this.#after, limit: PAGE });
      if (turn !== this.#turn) return undefined;
      for (const row of rows) this.#rows.set(row.id, row);
      [this.#after, this.#hasEnded] = [after, !after];
      isNew = this.#withoutRow(new Map(rows.map((row) => [row.id, row]))).length > 0;
    }
    return isNew;
  }

  /** Loads again as many people as were loaded: some have gone. */
  async renew() {
    const [turn, rows] = [this.#turn, new Map()];
    let after;
    do {
      const page = await this.#request({ after, limit: PAGE });
      if (turn !== this.#turn) return;
      for (const row of page.rows) rows.set(row.id, row);
      ({ after } = page);
    } while (after && rows.size < this.#rows.size);
    [this.#rows, this.#after, this.#hasEnded] = [rows, after, !after];
  }

  /** Finds members by name or display name. Resolves to their rows, and whether there are more; `isWanted` ends it. */
  async find(text, limit, isWanted = () => true) {
    const turn = this.#turn;
    const found = [];
    let after;
    do {
      const page = await this.#request({ find: text, after, limit: limit - found.length });
      if (turn !== this.#turn) return { rows: [], more: false };
      found.push(...page.rows);
      ({ after } = page);
    } while (after && found.length < limit && isWanted());
    for (const row of found) this.#found.set(row.id, row);
    return { rows: found, more: Boolean(after) };
  }
}

/** Finds members for a text that is being typed, once the user pauses. Only the newest text is answered. */
export class MemberLookup {
  #pages;
  #timer;
  #turn = 0;

  constructor(pages) {
    this.#pages = pages;
  }

  /** Ends what is under way. */
  cancel() {
    clearTimeout(this.#timer);
    this.#turn++;
  }

  /** Calls `onFound` with the rows and whether there are `more`, or `onMiss` with the error. Returns whether the server is asked: not where all have rows. */
  seek(text, limit, { onFound, onMiss }) {
    this.cancel();
    if (!this.#pages.isCut) return false;
    const turn = this.#turn;
    const isWanted = () => turn === this.#turn;
    const told = (tell) => (said) => isWanted() && tell(said);
    this.#timer = setTimeout(() => this.#pages.find(text, limit, isWanted).then(told(onFound), told(onMiss)), REST);
    return true;
  }
}
