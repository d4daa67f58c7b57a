/** Digests of rows: a client and its server compare them to see whether they hold the same rows. */

import { textBytes } from './identifiers.js';

const hashes = new WeakMap(); // rows never change, so neither do their hashes

/** FNV-1a/32 over (id bytes, sort, rev), the numbers as 8 bytes big endian. */
export function rowHash(row, idBytes) {
  let hash = hashes.get(row);
  if (hash) return hash;
  hash = 0x811c9dc5;
  const mix = (byte) => (hash = Math.imul(hash ^ byte, 0x01000193));
  idBytes(row.id).forEach(mix);
  for (const number of [row.sort, row.rev]) for (let bit = 56; bit >= 0; bit -= 8) mix((number / 2 ** bit) & 255);
  hash >>>= 0;
  hashes.set(row, hash);
  return hash;
}

export const groupOf = (id) => textBytes(id).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5) & 255;

/** The sums of rows, in their order: of each group the beginning of a hash of its ids and tags. */
export function sumsOf(rows) {
  const groups = Array.from({ length: 256 }, () => '');
  for (const { id, tag } of rows) groups[groupOf(id)] += `${id}\n${tag}\n`;
  return groups.map((text) => sha256(textBytes(text)).slice(0, 32)).join('');
}

const PRIMES = [2];
for (let number = 3; PRIMES.length < 64; number++) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);

/** The first 32 bits behind the point of the roots of primes, from which SHA-256 has its constants. */
const fractions = (primes, root) => Uint32Array.from(primes, (prime) => (prime ** (1 / root) % 1) * 2 ** 32);
const SHA_CONSTANTS = fractions(PRIMES, 3);

/** SHA-256 as hexadecimal digits, by FIPS 180-4. Pages from plain HTTP have no `crypto.subtle`, and a `resume` cannot wait for it. */
function sha256(bytes) {
  const data = new Uint8Array((bytes.length + 72) & ~63);
  data.set(bytes);
  data[bytes.length] = 0x80;
  const view = new DataView(data.buffer);
  view.setUint32(data.length - 4, bytes.length * 8);
  const state = fractions(PRIMES.slice(0, 8), 2);
  const words = new Uint32Array(64);
  const turn = (word, bits) => (word >>> bits) | (word << (32 - bits));
  for (let start = 0; start < data.length; start += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [early, late] = [words[i - 15], words[i - 2]];
      words[i] = words[i - 16] + words[i - 7] + (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const sum = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_CONSTANTS[i] + words[i]) | 0;
      const other = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e] = [g, f, e, (d + sum) | 0];
      [d, c, b, a] = [c, b, a, (sum + other) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, place) => (state[place] += value));
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}
