/** Mentions of people in a text, by the rule of docs/protocol-reference.md. */

import { textBytes } from './identifiers.js';

const PART = '\\p{L}\\p{M}\\p{Nd}_'; // the characters that a name goes on with
// Scripts that put no spaces between words: South-East Asian ones, Han, kana, Hangul.
const UNSPACED = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3000-\u31ff\u3400-\ua4cf\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaadf\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\u{1aff0}-\u{1b16f}\u{20000}-\u{3ffff}]/u.source;
// An `@` where a name can begin: behind no letter but one of these scripts, and no other part of an address.
const SIGN = `(?<!(?!(?=[\\p{L}\\p{M}])${UNSPACED})[${PART}.@＠/-])[@＠]`;
const WORD = `(?=\\p{L})${UNSPACED}`; // a letter with which another word begins behind a name

/**
 * Splits a text, in normal form C, at the names that it calls with `@`: what is before the first, its name, what is
 * between the two, the second name, and so on. A name is the longest of `people` that stands there, or looks like one.
 */
export function splitAtMentions(text, people = []) {
  // Backwards: a longer name comes before a shorter one that it begins with.
  const names = [...people].sort().reverse().map((name) => name.replace(/[$(-+.?[-^{-}]/g, '\\$&') + '|').join('');
  return text.normalize().split(RegExp(`${SIGN}((?:${names}room(?=${WORD}))(?!(?!${WORD})[${PART}])|[${PART}.-]*[${PART}])`, 'u'));
}

const BEGUN = RegExp(`${SIGN}([^@＠\\n]{0,64})$`, 'u');

/** Returns the place of the `@` at which a name is being typed at the end of a text, and what is typed of it: `{at, typed}`. */
export function begunMention(text) {
  const found = BEGUN.exec(text);
  return found && { at: found.index, typed: found[1] };
}

/** Returns the people whom a text calls with `@`, for `send` and `edit`. */
export const mentionsIn = (text, people) => callsIn(text, people).mentions;

/** Returns whether a text calls everybody, with `@room`: unless a person has that name. */
export const everyoneIn = (text, people) => callsIn(text, people).everyone;

function callsIn(text, people = []) {
  const names = new Set(splitAtMentions(text, (people = [...people])).filter(isName));
  const everyone = !people.includes('room') && names.delete('room');
  return { mentions: [...names].slice(0, 50), everyone };
}

// A name contains no invisible character, unless it makes an emoji.
const isName = (part, index) =>
  index % 2 && textBytes(part).length < 65 && !/^\p{M}|(?<!(?!\d)\p{Emoji}|\uFE0F|\d(?=\uFE0F\u20E3))\p{DI}/u.test(part);
