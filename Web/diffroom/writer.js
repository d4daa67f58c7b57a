/** Messages that grow: an assistant or a captioner writes them piece by piece. */

import { textBytes, uuid } from './identifiers.js';
import { entered } from './text.js';

// The end of a text that the next piece may complete: a line end, a surrogate pair or an escape sequence.
const UNFINISHED = RegExp(['\\r$', '[\\ud800-\\udbff]$', '(?:\\x1b\\[?|\\x9b)[0-?]*[ -/]*$'].join('|'));

/** The text that is written and not sent yet. */
function unsentText(text) {
  let unsent = text;
  let isWhole = false; // nothing follows
  let wake;

  /** Removes what can be sent, and returns it as it will be stored. */
  function flush() {
    const end = isWhole ? unsent.length : (UNFINISHED.exec(unsent)?.index ?? unsent.length);
    const piece = entered(unsent.slice(0, end));
    unsent = unsent.slice(end);
    return piece;
  }

  return {
    flush,
    add(text) {
      unsent += text;
      wake?.();
    },
    end() {
      isWhole = true;
      wake?.();
    },
    /** Waits for text that can be sent, and removes it; at the end it is empty. */
    async next() {
      for (;;) {
        const isLast = isWhole;
        const piece = flush();
        if (piece || isLast) return piece;
        await new Promise((resolve) => (wake = resolve));
      }
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
    let failure, ending;

    async function run() {
      let piece = written.flush();
      let size = textBytes(piece).length; // of the text that the server has
      await send(room, piece, { id, ...more, open: true });
      try {
        for (; (piece = await written.next()); size += textBytes(piece).length) await append(room, id, size, piece);
      } catch (error) {
        closeMessage(room, id, { ended: 'failed' }).catch(() => {}); // it is gone, or was closed by another device
        throw error;
      }
      return closeMessage(room, id, ending);
    }

    const done = run();
    done.catch((error) => (failure = error));

    return {
      id,
      append(text) {
        if (failure) throw failure;
        if (ending) throw Error('The message is closed.');
        written.add(text);
      },
      close(ended) {
        ending ??= ended ? { ended } : {};
        written.end();
        return done;
      },
    };
  };
}
