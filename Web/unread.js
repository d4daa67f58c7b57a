/** The line above the messages that have come since the user last read. It stays after a reload. */

import { lowerBound } from './diffroom.js';

export class Unread {
  #room;
  #since; // the revision up to which everything was read when the first new message came
  #read; // the revision up to which everything was read in this page
  #revision;
  #isShown = false;
  #isKnown = false; // whether it is known up to where everything was read
  #isBack = true; // whether what comes next is what came in an absence

  /** @param room its `name`, `me()`, `kept` for this browser and `tab` for this tab */
  constructor(room) {
    this.#room = room;
  }

  /** Takes the read mark that the user's devices share; this browser's own in a room that the user is no member of. */
  know(revision, isMarked) {
    this.#isKnown = true;
    if (isMarked && revision < this.#read) return this.from(revision + 1);
    this.#read = Math.max(this.#read ?? 0, revision ?? 0) || undefined;
    const read = revision ?? this.#stored('read');
    this.#since ??= Number(this.#stored('since') || read) || revision;
  }

  /** Returns the line, for the snapshot that is shown now; none while everything is read as it comes. */
  mark(snapshot, isWatched) {
    const { revision } = snapshot;
    if (revision === undefined) return undefined;
    this.#revision = revision;
    if (!this.#isKnown || this.#since === undefined) return undefined;
    const behind = (revision) => behindOwn(this.#room.me(), snapshot, revision);
    if (!this.#isShown) this.#since = behind(this.#since);
    const comesBack = !isWatched || this.#isBack;
    if (!comesBack && !this.#isShown) this.#since = revision;
    // The earlier news is read, and there is other news.
    const read = this.#read > this.#since ? behind(this.#read) : this.#since;
    if (comesBack && read > this.#since && rowsAfter(snapshot, read)) this.#begin(read);
    this.#isBack = false;
    const text = news(snapshot, this.#since);
    if (text && !this.#isShown) this.#begin(this.#since);
    this.#isShown = Boolean(text);
    return text && { id: 'since', ...placeAfter(snapshot, this.#since), text };
  }

  #begin(revision) {
    this.#since = revision;
    this.#isShown = true;
    this.#store('since', revision);
  }

  /** Takes the user's read mark from the server, for a browser that knows none. Returns whether it did. */
  readElsewhere(revision = this.#revision) {
    const isNews = this.#isKnown && this.#since === undefined && revision !== undefined;
    if (isNews) this.#since = revision;
    return isNews;
  }

  /** The user has marked a message as unread, and all behind it. */
  from(sort) {
    this.#read = sort - 1;
    this.#begin(sort - 1);
  }

  /** Everything up to the revision has been in view. */
  read(revision) {
    this.#read = revision;
  }

  /** Keeps the read mark for the next page. */
  keep() {
    if (this.#read) this.#store('read', this.#read);
  }

  /** The connection is lost, or the room left: what comes next is new. */
  leave() {
    this.#isBack = true;
  }

  /** The user has said something, and so has read all. */
  said() {
    this.#since = this.#revision;
    this.#isShown = false;
    this.#store('since', '');
  }

  #stored(what) {
    return this.#place(what).get(this.#key(what));
  }

  #store(what, value) {
    this.#place(what).set(this.#key(what), String(value));
  }

  #place(what) {
    return what === 'since' ? this.#room.tab : this.#room.kept;
  }

  #key(what) {
    return `${what} ${this.#room.name} ${this.#room.me()}`;
  }
}

/** Returns where the first row after a revision stands or would stand. */
const placeAfter = ({ sections, joined }, revision) => ({ section: sections[+(revision >= joined)].id, sort: revision + 1 });

/** Returns where the news of a person begins: behind a revision, and behind their own messages that come next. */
function behindOwn(person, { sections, gaps, ranges }, revision) {
  for (;;) {
    const next = sections.map(({ rows }) => rows[lowerBound(rows, revision + 1)]).find(Boolean);
    const isNext = ranges[0][0] <= revision + 1 && !gaps.some(({ sort }) => sort > revision && sort < next?.sort);
    if (next?.author !== person || !isNext) return revision;
    revision = next.sort;
  }
}

export function rowsAfter({ sections }, revision) {
  return sections.reduce((sum, { rows }) => sum + rows.length - lowerBound(rows, revision + 1), 0);
}

/** Tells how many messages came after a revision; nothing if none did. */
function news(snapshot, revision) {
  const { gaps, ranges } = snapshot;
  const missing = gaps.filter(({ sort }) => sort > revision);
  const count = missing.reduce((sum, gap) => sum + (gap.count ?? 0), rowsAfter(snapshot, revision));
  const isLess = missing.some((gap) => gap.count === undefined) || ranges[0][0] > revision + 1;
  return count ? `${isLess ? 'More than ' : ''}${count.toLocaleString()} new since you last read` : undefined;
}
