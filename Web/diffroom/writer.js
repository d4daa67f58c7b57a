/** Messages that grow: an assistant or a captioner writes them piece by piece. */

import { textBytes, uuid } from './identifiers.js';
import { entered } from './text.js';

// The end of a text that the next piece may complete: a line end, a surrogate pair or an escape sequence.
const UNFINISHED = RegExp(['\\r$', '[\\ud800-\\udbff]$', '(?:\\x1b\\[?|\\x9b)[0-?]*[ -/]*$'].join('|'));

/** The text that is written and not sent yet. */
function unsentText(text) {
  let unsent = text;

  return {
    add: (text) => (unsent += text),
    /** Removes what can be sent, and returns it as it will be stored. `isWhole`: nothing follows. */
    flush(isWhole) {
      const end = isWhole ? unsent.length : (UNFINISHED.exec(unsent)?.index ?? unsent.length);
      const piece = entered(unsent.slice(0, end));
      unsent = unsent.slice(end);
      return piece;
    },
  };
}

/**
 * Returns a function that begins a message with its first words, and returns its writer. One command is under way at a time. The
 * next one has all that was written meanwhile. The outbox repeats it after a lost connection, and the server knows it by its id.
 */
export function writing({ send, append, closeMessage }) {
  return function write(room, text = '', { id = uuid(), ...more } = {}) {
    const written = unsentText(text);
    let wake, failure, ending;

    async function run() {
      const first = written.flush();
      await send(room, first, { id, ...more, open: true });
      try {
        await grow(textBytes(first).length);
      } catch (error) {
        closeMessage(room, id, { ended: 'failed' }).catch(() => {}); // it is gone, or was closed by another device
        throw error;
      }
      return closeMessage(room, id, ending);
    }

    /** Appends what is written, until the message is to be closed. `size`: of the text that the server has, in bytes. */
    async function grow(size) {
      for (;;) {
        const isWhole = Boolean(ending);
        const piece = written.flush(isWhole);
        if (piece) await append(room, id, size, piece);
        else if (isWhole) return;
        else await new Promise((resolve) => (wake = resolve));
        size += textBytes(piece).length;
      }
    }

    const done = run();
    done.catch((error) => (failure = error));

    return {
      id,
      append(text) {
        if (failure) throw failure;
        if (ending) throw Error('The message is closed.');
        written.add(text);
        wake?.();
      },
      close(ended) {
        ending ??= ended ? { ended } : {};
        wake?.();
        return done;
      },
    };
  };
}
