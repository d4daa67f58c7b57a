/** The files of messages, in words: their sizes, kinds and names. */

const UNIT = 1_024; // bytes of a kB, as the limits of servers have it
const UNITS = ['kB', 'MB', 'GB', 'TB'];
const LARGEST = { width: 360, height: 300 }; // px of a picture among the messages
const LARGEST_OF_SEVERAL = { width: 260, height: 200 }; // px of one of several
const LEAST = 48; // px of its shorter side
const UNKNOWN = { width: 240, height: 180 }; // px of one whose sender did not say its size
/** The types that the page shows. Browsers only save all others. */
const SHOWN = {
  picture: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  video: ['video/mp4', 'video/webm'],
  audio: ['audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/mp4', 'audio/webm'],
};
const ARCHIVES = /^application\/(zip|gzip|x-(7z-compressed|bzip2?|rar-compressed|tar|xz)|vnd\.rar|zstd)$/;
const TEXTS = /^(text\/.*|application\/(pdf|json|xml|rtf|msword|vnd\.(oasis\.opendocument|openxmlformats-officedocument|ms-).*))$/;

/** Returns a size in words, with two digits at least: 830 bytes, 1.2 kB, 34 MB. */
export function sizeInWords(bytes) {
  if (bytes < UNIT) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  let [size, unit] = [bytes / UNIT, 0];
  // A number that would be rounded to 1,000 has the next unit.
  while (size >= 999.5 && unit < UNITS.length - 1) [size, unit] = [size / UNIT, unit + 1];
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size).toLocaleString()} ${UNITS[unit]}`;
}

/** Returns how a page shows files of a type: as `picture`, `video` or `audio`, or as a `card`. */
export const shownAs = (media) => Object.keys(SHOWN).find((kind) => SHOWN[kind].includes(media)) ?? 'card';

/** Returns the name of the icon for a type. */
export function iconOf(media) {
  const [kind] = media.split('/');
  if (kind === 'image') return 'picture';
  if (kind === 'video' || kind === 'audio') return kind;
  if (ARCHIVES.test(media)) return 'archive';
  return TEXTS.test(media) ? 'text' : 'other';
}

/** Returns a name without the characters that turn the direction of what follows: `exe.png` must not be shown for `gnp.exe`. */
export const nameOf = ({ name }) => name.replace(/\p{Bidi_Control}/gu, '');

/** Returns the text of a message that has nothing but files. */
export const namesOf = (files) => files.map(({ name }) => name).join(', ');

/** Returns the text that a message has beside its files; an empty one if it says no more than their names. */
export const textBeside = ({ text, files }) => (files?.length && text === namesOf(files) ? '' : text);

const isLength = (value) => Number.isFinite(value) && value >= 1;

/** Returns the size of the box of a picture or video among the messages, in the proportions that its sender says; smaller for one of several. */
export function boxOf({ width, height }, isOneOfSeveral) {
  const most = isOneOfSeveral ? LARGEST_OF_SEVERAL : LARGEST;
  if (!isLength(width) || !isLength(height)) return UNKNOWN;
  const scale = Math.min(1, most.width / width, most.height / height);
  const side = (length, limit) => Math.min(limit, Math.max(LEAST, Math.round(length * scale)));
  return { width: side(width, most.width), height: side(height, most.height) };
}

/** Returns why a file cannot be sent; nothing if it can. */
export function faultOf({ name, size }, { fileBytes = Infinity }) {
  if (size < 1) return `${nameOf({ name })} is empty.`;
  if (size > fileBytes) return `${nameOf({ name })} is too large: a file has at most ${sizeInWords(fileBytes)}.`;
  return undefined;
}
