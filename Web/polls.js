/**
 * Polls: a message with data of the kind `poll`, in which each option has a number, and a vote is a reaction with that number.
 *
 *     { kind: 'poll', question: 'Lunch?', options: ['Pizza', 'Sushi'] } // 1️⃣ is a vote for Pizza
 *
 * The text of the message says the same, for clients that do not know polls: in them people vote by reactions.
 */

const FEWEST = 2; // options
const MOST = 9; // those with a number of one digit

/** Returns the emoji that votes for an option. */
export const keycap = (index) => `${index + 1}\uFE0F\u20E3`;
const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** Returns the poll of a message; undefined if the message has none, or one with a field that is missing or wrong. */
export function pollOf({ data }) {
  if (data?.kind !== 'poll' || !isText(data.question)) return undefined;
  const { question, options } = data;
  const isWhole = Array.isArray(options) && options.length >= FEWEST && options.length <= MOST && options.every(isText);
  return isWhole ? { question, options } : undefined;
}

/** Returns the poll that is typed as `QUESTION | OPTION | OPTION`; undefined if it has too few options, or too many. */
export function pollIn(typed) {
  const [question, ...options] = typed.split('|').map((part) => part.trim());
  return pollOf({ data: { kind: 'poll', question, options } });
}

/** Returns what a user types for a poll. */
export const typedPoll = ({ question, options }) => `/poll ${[question, ...options].join(' | ')}`;

/** Returns a message's fields: the text for clients that do not know polls, and the data. */
export function messageOf({ question, options }) {
  const lines = options.map((option, index) => `${keycap(index)} ${option}`);
  return { text: [question, ...lines].join('\n'), data: { kind: 'poll', question, options } };
}

/** Returns whether a reaction is a vote. */
export const isVote = ({ options }, emoji) => options.some((_, index) => keycap(index) === emoji);
