/** The drafts of the user: one for each room, the same in all tabs of this browser. */

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

  #keyOf(room) {
    return `draft ${room} ${this.#me()}`;
  }

  /** Returns whether the browser's storage has a room's draft under a key. */
  isKeyOf(key, room) {
    return key === `diffroom.${this.#keyOf(room)}`;
  }

  /** @returns {Draft} */
  of(room) {
    try {
      return JSON.parse(this.#kept.get(this.#keyOf(room)) ?? '{}') ?? {};
    } catch {
      return {}; // not ours
    }
  }

  /** Keeps a draft, if there is something in it. */
  write(room, draft) {
    if (draft.text || draft.mode?.label || draft.aside) this.#kept.set(this.#keyOf(room), JSON.stringify(draft));
    else this.#kept.delete(this.#keyOf(room));
  }
}

/** Returns a draft with another one behind it, which comes into the field when what is before it is sent. */
export function behind(draft, other) {
  const { text = '', mode = {}, aside } = draft;
  return text.trim() || mode.edit ? { ...draft, aside: behind(aside ?? {}, other) } : { ...other, aside };
}

/** Returns a draft with a refused message in front of it. Where both answer another message, that of the draft is answered. */
export function inFrontOf({ text, mode }, message) {
  const { replyTo, mentions = [] } = message;
  const poll = pollOf(message);
  const refused = poll ? typedPoll(poll) : message.text;
  const answered = text.trim() && mode.replyTo ? mode : replyTo ? { replyTo, label: 'Reply' } : {};
  return { text: [refused, text].filter((part) => part.trim()).join('\n'), mode: { ...answered, mentions: [...mentions, ...(mode.mentions ?? [])] } };
}
