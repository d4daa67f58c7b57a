/** Commands that are typed as a message: `/help`, `/poll`, and those of moderators, such as `/mute bob 10m`. */

import { entered } from './diffroom.js';
import { spanOf } from './elements.js';
import { messageOf, pollIn } from './polls.js';
import { ask } from './question.js';

const COMMAND = /^\/([a-z]+)(?:[^\S\n]+([^\n]+))?$/i;
const SPAN = /[^\S\n]+(\d{1,4})[^\S\n]*(m|min|h|d)$/i;
const UNITS = { m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const USUAL = 600_000; // ms of a mute without a span
const MODERATION = new Set(['mute', 'unmute', 'kick', 'ban', 'unban']);

/** Returns the command that a text is, as `{name, rest, person, span}`, if it looks like one. A path such as /usr/bin is none. */
export function commandIn(text) {
  const [, name, rest = ''] = COMMAND.exec(text.trim()) ?? [];
  if (!name) return undefined;
  const [behind = '', count, unit = ''] = SPAN.exec(rest) ?? [];
  const person = rest.slice(0, rest.length - behind.length).trim().replace(/^@/, '').normalize();
  return { name: name.toLowerCase(), rest, person, span: count ? Number(count) * UNITS[unit.toLowerCase()] : undefined };
}

export class TypedCommands {
  #page;

  /** @param page the `composer`; the `moderator`; `shown()`, the room that is shown; and `onHelp()` */
  constructor(page) {
    this.#page = page;
  }

  /** Performs the command that a text in a composer is. Resolves to what becomes of the text: `sent` as a message, `done`, or `kept` in the field. */
  async perform(text, composer = this.#page.composer) {
    const { name, rest, person, span } = commandIn(text);
    if (name === 'help') return this.#help();
    if (name === 'poll') return this.#poll(rest, composer);
    if (MODERATION.has(name) && (name === 'mute' || !span)) return this.#moderate(name, person, composer, span);
    const question = { title: `Send “${text.trim().slice(0, 60)}” as a message?`, text: `There is no command /${name}. /help shows the keys.`, no: 'Back', yes: 'Send it' };
    return (await ask(question)) ? 'sent' : 'kept';
  }

  #help() {
    this.#page.onHelp();
    return 'done';
  }

  #poll(typed, composer) {
    const poll = pollIn(entered(typed));
    if (!poll) return keep(composer, 'A poll has a question and two to nine options: /poll Lunch? | Pizza | Sushi');
    const { text, data } = messageOf(poll);
    composer.send(text, data);
    return 'kept'; // the composer has emptied the field, or says why not
  }

  async #moderate(name, person, composer, span = USUAL) {
    const { moderator, shown } = this.#page;
    if (!composer.moderates) return keep(composer, `Only moderators can ${name} a person here.`);
    if (!person) return keep(composer, `Whom? /${name} NAME${name === 'mute' ? ' 10m' : ''}`);
    const isDone = name === 'mute' ? await moderator.moderate(shown().id, name, { user: person, for: span }, { teller: composer, done: `${person} is muted for ${spanOf(span)}.` }) : await moderator.act(name, person, composer);
    return isDone ? 'done' : 'kept';
  }
}

function keep(composer, hint) {
  composer.hint(hint);
  return 'kept';
}
