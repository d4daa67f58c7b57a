/** The rows of one of the user's own lists: of their rooms, or of the threads that they follow. */

import { isOutOfReach } from './blocks.js';
import { kindOf } from './kinds.js';

const STEP = 100; // rows that the list asks for at its end

export class RoomList {
  /** Whether the list is here, or cannot be had: an older server has none. */
  isKnown = false;
  /** Whether it is here as of now, or as of this page, and not only as an earlier page has kept it. */
  isCurrent = false;
  hasList = false;
  #list;
  #snapshot;
  #rows = []; // but for those of blocked users, which the server takes from the list as soon as it knows
  #isPartial = false; // whether some rows cannot be loaded now
  #counts = {}; // section → the number of its rows, also of those that are not here

  /**
   * Follows the list `name` with a client. The list begins with the rows that `lists` has kept, and is kept there.
   * `onChange` is that of a list of the library; `onMiss()` is called when there is none.
   */
  follow(chat, name, lists, { onChange, onMiss }) {
    const kept = lists.get(name);
    const held = kept?.sections.reduce((sum, section) => sum + section.rows.length, 0) ?? 0;
    const handle = (said) => {
      if (said.changes.why !== 'held') lists.note(name, said.snapshot);
      onChange(said);
    };
    const onError = ({ error }) => {
      if (error === 'diverged') return;
      this.miss();
      onMiss();
    };
    this.#list = chat.subscribe(name, { limit: Math.max(STEP, held), kept, onChange: handle, onError });
  }

  take({ snapshot, changes }) {
    this.hasList = this.isKnown = true;
    this.isCurrent ||= changes.why !== 'held';
    this.#isPartial = Boolean(snapshot.missing);
    this.#snapshot = snapshot;
    this.#sort();
  }

  /** Other users are blocked. */
  refold() {
    if (this.hasList) this.#sort();
  }

  #sort() {
    const { sections, counts } = this.#snapshot;
    this.#counts = { ...counts };
    this.#rows = sections.flatMap(({ id, rows }) => {
      const reachable = rows.filter((row) => !isOutOfReach(row));
      if (id in this.#counts) this.#counts[id] -= rows.length - reachable.length;
      return id === 'pinned' ? reachable : reachable.reverse();
    });
  }

  /** There is no list: an older server has none. */
  miss() {
    this.isKnown = this.isCurrent = true;
  }

  get(name) {
    return this.hasList ? this.#list.get(name) : undefined;
  }

  /** Returns whether the user is a member, and not only invited. */
  isMember(name) {
    const row = this.get(name);
    return Boolean(row) && row.section !== 'invited';
  }

  /** Returns whether strangers' pictures may be fetched while a room is shown: not in one to which the user may be only invited. */
  mayLoadFor(name) {
    return kindOf(name) !== 'private' || (this.isKnown && this.get(name)?.section !== 'invited');
  }

  /** The rows, as they are shown. */
  get rows() {
    return this.#rows;
  }

  /** Returns the rows of a section, as they are shown. */
  in(section) {
    return this.#rows.filter((row) => row.section === section);
  }

  /** Whether some rows cannot be loaded now. */
  get isPartial() {
    return this.#isPartial;
  }

  /** Returns the number of rows of a section, also of those that are not here. */
  countOf(section) {
    return this.#counts[section] ?? this.in(section).length;
  }

  /** Returns whether some rows of a section are not here: their unread messages are not known. */
  lacks(section) {
    return this.#counts[section] > this.in(section).length;
  }

  /** Whether some rows are not here. */
  get isCut() {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0) > this.#rows.length;
  }

  /** Returns whether a name is in the list, or may be that of a row that is not here. */
  mayHave(name) {
    return Boolean(this.get(name)) || this.isCut || this.#isPartial;
  }

  /** Returns whether it is not known if a name is in the list. */
  isUnknown(name) {
    return (this.isCut || this.#isPartial) && !this.get(name);
  }

  /** Asks for all rows. */
  completeRows() {
    if (this.isCut) this.#list.grow(Infinity);
  }

  askForMore() {
    if (this.isCut) this.#list.grow(STEP);
  }
}

/** Applies a mark as unread from another device, or its end, to the conversation `shown`. `list` still has the rows from before. */
export function takeMark(list, shown) {
  const before = list.rows.find(({ id }) => id === shown?.name);
  const now = list.get(before?.id);
  if (now && Boolean(before.marked) !== Boolean(now.marked)) shown.takeMark(now);
}
