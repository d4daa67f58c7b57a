/** A text that is too long for one message, in parts. */

const NEAR = 200; // code units around a cut in which a character is looked for

/**
 * Returns a text in parts of at most `limit` bytes. Each ends at the last place that fits, if that is in its second half: the end of
 * a paragraph, of a line, or of a word; else after a character. The white space at a cut is left out.
 */
export function partsOf(text, limit) {
  const parts = [];
  const space = new Uint8Array(limit);
  for (let rest = text; rest; ) {
    const { read } = new TextEncoder().encodeInto(rest.slice(0, limit), space);
    if (read >= rest.length) return [...parts, rest];
    const end = endOf(rest, read);
    const part = rest.slice(0, end).trimEnd();
    if (part) parts.push(part);
    rest = rest.slice(end).replace(/^(?:[^\S\n]*\n)+|^ /, '');
  }
  return parts;
}

function endOf(text, most) {
  const fits = text.slice(0, most + 1); // with the white space behind the part
  for (const seam of ['\n\n', '\n', ' ']) {
    const at = fits.lastIndexOf(seam);
    if (at > most / 2) return at;
  }
  const from = Math.max(0, most - NEAR);
  const { index } = new Intl.Segmenter().segment(text.slice(from, most + NEAR)).containing(most - from);
  return from + index || most; // no character is longer than a message but one that is made to be
}
