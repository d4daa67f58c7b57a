/** The web addresses in a text: `linksIn('see https://a.example/x.')` is `[{ href: 'https://a.example/x', index: 4 }]`. */

// An address ends at white space, at what cannot be seen, and at punctuation of other scripts (。 ， ） 」 …). Of these ’ and ·
// may stand in a word of its path.
const UNSEEN = '\\p{C}\\p{DI}\\u2800';
const ASCII = `[^\\s${UNSEEN}<>"\`\\\\\\P{ASCII}]`;
const OTHER = `(?![\\p{P}\\p{Z}${UNSEEN}])\\P{ASCII}`;
const INNER = '[’·](?=[\\p{L}\\p{N}])';
const ADDRESS = new RegExp(`(?<![a-z0-9])https?://(?=[\\p{L}\\p{N}[])(?:${INNER}|${ASCII}|${OTHER})+`, 'giu');
const TRAILING = '.,:;!?\'*_~([{';
const BRACKETS = { ')': '(', ']': '[', '}': '{' };

/**
 * Returns the addresses in their order, without the punctuation behind them and with the brackets that are theirs.
 *
 * @param {string} text
 * @returns {{ href: string, index: number }[]}
 */
export function linksIn(text) {
  if (!text.includes('://')) return [];
  const found = Array.from(text.matchAll(ADDRESS), ({ 0: address, index }) => ({ href: trimmed(address), index }));
  return found.filter(({ href }) => /^https?:\/\/./i.test(href));
}

/** Cuts an address at the first bracket that closes none of its own, and what then ends a sentence. */
function trimmed(address) {
  let end = firstStray(address);
  while (end && TRAILING.includes(address[end - 1])) end--;
  return address.slice(0, end);
}

function firstStray(address) {
  const open = [];
  for (let place = 0; place < address.length; place++) {
    const sign = address[place];
    if ('([{'.includes(sign)) open.push(sign);
    else if (BRACKETS[sign] && open.pop() !== BRACKETS[sign]) return place;
  }
  return address.length;
}
