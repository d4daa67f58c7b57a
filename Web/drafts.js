/** The drafts of the user in this browser: one for each room, the same in all tabs. */

import { canBeSeen, entered } from './diffroom.js';
import { pollOf, typedPoll } from './polls.js';

/**
 * A text with its purpose, as the field has it: `mode` is what it answers or edits, and `aside` the draft from before an edit.
 *
 * @typedef {{ text?: string, mode?: any, aside?: Draft }} Draft
 */

export class Drafts {
  #me;
  #kept;

  /** @param me returns the user's name; `kept` keeps the drafts */
  constructor(me, kept) {
    this.#me = me;
    this.#kept = kept;
  }

  #keyOf(room, what = 'draft') {
    return `${what} ${room} ${this.#me()}`;
  }

  /** Returns the room whose draft the browser's storage has under a key; nothing if it is the key of something else. */
  roomOf(key) {
    return key?.startsWith('diffroom.') ? this.#roomIn(key.slice('diffroom.'.length)) : undefined;
  }

  /** The names of rooms have no spaces. Those of users may, and one may end with another. */
  #roomIn(key, what = 'draft') {
    const [begin, room, ...user] = key.split(' ');
    return begin === what && user.join(' ') === this.#me() ? room : undefined;
  }

  /** The rooms that have a draft here, or had one that the server may have. */
  get rooms() {
    const roomsOf = (what) => this.#kept.keys(`${what} `).map((key) => this.#roomIn(key, what)).filter(Boolean);
    return [...new Set([...roomsOf('draft'), ...roomsOf('synced')])];
  }

  #read(key) {
    try {
      return JSON.parse(this.#kept.get(key) ?? '{}') ?? {};
    } catch {
      return {}; // not ours
    }
  }

  /** @returns {Draft} */
  of(room) {
    return this.#read(this.#keyOf(room));
  }

  /** Keeps a draft, if there is something in it. */
  write(room, draft) {
    if (draft.text || draft.mode?.label || draft.aside) this.#kept.set(this.#keyOf(room), JSON.stringify(draft));
    else this.#kept.delete(this.#keyOf(room));
  }

  /**
   * Returns what is known of the server's copy of a draft: the last one that was the same here and there; those that were written since,
   * and when; when the user has typed last; and the one that the server has dropped.
   *
   * @returns {{ base: any, written: any[], wroteAt: number, typed: number, dropped?: any }}
   */
  syncOf(room) {
    return { base: null, written: [], wroteAt: 0, typed: 0, ...this.#read(this.#keyOf(room, 'synced')) };
  }

  /** Notes something about the server's copy of a draft. */
  noteSync(room, change) {
    const before = this.syncOf(room);
    const after = { ...before, ...change };
    const key = this.#keyOf(room, 'synced');
    if (!after.base && !after.written.length && !after.typed && !after.dropped) this.#kept.delete(key);
    else if (JSON.stringify(after) !== JSON.stringify(before)) this.#kept.set(key, JSON.stringify(after));
  }
}

/**
 * Returns the part of a draft that is a new message: without an edit before it.
 *
 * @type {(draft?: Draft) => Draft}
 */
export const messageOf = (draft = {}) => (draft.mode?.edit ? messageOf(draft.aside) : draft);

/** Returns a draft with another part that is a new message. */
export const withMessage = (draft, message) => (draft.mode?.edit ? { ...draft, aside: withMessage(draft.aside ?? {}, message) } : message);

/** Returns what of a draft belongs on the user's other devices, too; `null` if nothing of it can be seen. */
export function contentOf(draft) {
  const { text = '', mode = {} } = messageOf(draft);
  const { replyTo, mentions } = mode;
  return canBeSeen(entered(text)) ? { text: entered(text), replyTo, mentions } : null;
}

/**
 * Returns the draft for what another device has written. The label of the message that it answers is known if that is answered here.
 *
 * @param {any} content
 * @param {Draft} [before]
 */
export function draftOf({ text, replyTo, mentions }, before = {}) {
  const { label = 'Reply' } = (before.mode?.replyTo === replyTo && before.mode) || {};
  return { text, mode: { ...(replyTo && { replyTo, label }), ...(mentions && { mentions }) } };
}

/** Returns whether two of them are the same draft. The mentions follow from the text. */
export const isSameContent = (one, other) => one?.text === other?.text && one?.replyTo === other?.replyTo;

/** Returns a draft with another one behind it, which comes into the field when what is before it is sent. */
export function behind(draft, other) {
  const { text = '', mode = {}, aside } = draft;
  return text.trim() || mode.edit ? { ...draft, aside: behind(aside ?? {}, other) } : { ...other, aside };
}

/**
 * Returns whether a text, or more of it, is in a draft or behind it.
 *
 * @type {(draft: Draft, other: string) => boolean}
 */
const has = ({ text = '', mode = {}, aside }, other) => (!mode.edit && text.startsWith(other)) || Boolean(aside && has(aside, other));

/** Returns what is behind a draft without beginnings of a text: another device has gone on with them. */
const withoutBeginnings = (draft, text) => {
  if (!draft) return undefined;
  const aside = withoutBeginnings(draft.aside, text);
  return !draft.mode?.edit && text.startsWith(draft.text ?? '') ? aside : { ...draft, aside };
};

/** Returns a draft with a text of another device behind it, unless the draft has that. */
export function withOther(draft, other) {
  if (has(draft, other.text)) return draft;
  return behind({ ...draft, aside: withoutBeginnings(draft.aside, other.text) }, other);
}

/** Returns a draft with a refused message in front of it. Where both answer another message, that of the draft is answered. */
export function inFrontOf({ text, mode }, message) {
  const { replyTo, mentions = [] } = message;
  const poll = pollOf(message);
  const refused = poll ? typedPoll(poll) : message.text;
  const answered = text.trim() && mode.replyTo ? mode : replyTo ? { replyTo, label: 'Reply' } : {};
  return { text: [refused, text].filter((part) => part.trim()).join('\n'), mode: { ...answered, mentions: [...mentions, ...(mode.mentions ?? [])] } };
}
