/** The emoji that are offered for a name. */

import { begunEmoji, emojisNamed } from '../emojinames.js';
import { equal, ok, test } from './checks.js';

const TABLE = [['👍', 'thumbs up', '+1 hand'], ['👎', 'thumbs down', '-1 hand'], ['❤️', 'red heart', 'heart'], ['💔', 'broken heart', 'break'], ['🫀', 'anatomical heart', 'organ'], ['💟', 'heart decoration', 'heart'], ['1️⃣', 'keycap: 1', 'keycap'], ['🇩🇪', 'flag: Germany', 'flag']];
const found = (typed) => emojisNamed(TABLE, typed).map(([emoji]) => emoji).join('');

test('a name begins behind a colon that stands by itself, with two letters', () => {
  equal(begunEmoji('so :th'), { at: 3, typed: 'th' });
  equal(begunEmoji(':+1'), { at: 0, typed: '+1' });
  for (const text of [':t', 'at 10:30', 'a:bc', '::ab', ': ab', ':-)', ':)', 'https://x']) equal(begunEmoji(text), null, text);
});

test('emoji are found by the beginnings of words, those with the name first', () => {
  equal(found('thumb'), '👍👎');
  equal(found('thumbs_d'), '👎');
  equal(found('heart'), '💟❤️💔🫀');
  equal(found('han'), '👍👎');
  equal(found('+1'), '👍');
  equal(found('eart'), '');
  equal(found('HEART_br'), '💔');
  equal(found('germany'), '🇩🇪');
});

test('each typed part of a name of the table finds it among all', async () => {
  const url = new URL('../emojis.json', import.meta.url);
  const table = url.protocol === 'file:' ? JSON.parse(await (await import('node:fs/promises')).readFile(url, 'utf8')) : await (await fetch(url)).json();
  ok(table.length > 1_500, 'a whole table');
  for (const [emoji, name] of [['😀', 'grinning_face'], ['🎉', 'party_popper'], ['🏴‍☠️', 'pirate']]) ok(emojisNamed(table, name).some(([one]) => one === emoji), name);
});
