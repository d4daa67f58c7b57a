/** Messages that grow: what their writer sends, and when. */

import { Diffroom, entered } from '../diffroom.js';
import { equal, handClock, handSockets, random, test } from './checks.js';

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192 } };
const LIST = 'room/r/messages';

/** A connected client. The answers of its server are given by hand. */
function setUp() {
  const clock = handClock();
  const sockets = handSockets();
  const chat = new Diffroom({ url: 'ws://test/', user: 'ann', environment: { WebSocket: sockets.WebSocket, ...clock, random: () => 0.5 } });
  let revision = 0;

  function connect() {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  }

  /** Lets promises that are settled call what waits for them. */
  const settled = () => new Promise((resolve) => setTimeout(resolve));

  async function answer(type, error) {
    await settled();
    sockets.last.answer(type, error ? { type: 'error', message: 'no', ...error } : { type: 'ok', list: LIST, revision: ++revision });
    await settled();
  }

  const commands = () => sockets.last.frames.filter(({ type }) => type !== 'hello').map(({ type, text, at, ended }) => [type, ...[at, text, ended].filter((field) => field !== undefined)]);
  connect();
  return { chat, clock, sockets, connect, settled, answer, commands };
}

test('the first words are sent at once, and all that is appended before an answer is one piece', async () => {
  const { chat, answer, commands, sockets } = setUp();
  const writer = chat.write('r', 'The tea', { replyTo: 'q', mentions: ['bob'] });
  const { id, open, replyTo, mentions } = sockets.last.frames.at(-1);
  equal([id, open, replyTo, mentions], [writer.id, true, 'q', ['bob']]);

  for (const piece of [' ', 'is', ' ready']) writer.append(piece);
  equal(commands(), [['send', 'The tea']]);
  await answer('send');
  writer.append(', ');
  writer.append('Grüße');
  await answer('append');
  await answer('append');
  equal(commands(), [['send', 'The tea'], ['append', 7, ' is ready'], ['append', 16, ', Grüße']]);

  writer.append('!');
  await answer('append');
  const done = writer.close();
  await answer('close');
  equal(commands().slice(3), [['append', 25, '!'], ['close']]);
  equal(await done, { id: writer.id, list: LIST, revision: 5 });
});

for (const ended of ['stopped', 'failed'])
  test(`a message that ${ended} has all its text before the end`, async () => {
    const { chat, answer, commands } = setUp();
    const writer = chat.write('r');
    writer.append('so ');
    writer.append('far');
    const done = writer.close(ended);
    equal(writer.close(), done);
    for (const type of ['send', 'append', 'close']) await answer(type);
    await done;
    equal(commands(), [['send', ''], ['append', 0, 'so far'], ['close', ended]]);
  });

test('a line end, a surrogate pair and an escape sequence that are cut are sent whole, and nothing without content is', async () => {
  const { chat, answer, commands } = setUp();
  const writer = chat.write('r', 'a\r');
  await answer('send');
  writer.append('\nb\ud83d');
  await answer('append');
  writer.append('\ude00\x1b');
  await answer('append');
  writer.append('[3');
  writer.append('1mred\x1b[0m');
  await answer('append');
  writer.append('\x1b[0m');
  writer.append('\r');
  const done = writer.close();
  await answer('append');
  await answer('close');
  await done;
  equal(commands(), [['send', 'a'], ['append', 1, '\nb'], ['append', 3, '😀'], ['append', 7, 'red'], ['append', 10, '\n'], ['close']]);
});

for (let seed = 1; seed <= 40; seed++)
  test(`a text that is cut anywhere is stored as it would be whole, whatever is lost on the way (seed ${seed})`, async () => {
    const { below } = random(seed);
    const { chat, clock, sockets, connect, settled } = setUp();
    const text = Array.from({ length: 60 }, () => ['word ', '\r\n', '\r', '\n\n', 'é', '日本', '👩🏽‍💻', '\x1b[31m', '\u0007', ' '][below(10)]).join('');
    const stored = { text: '', open: undefined };
    const effects = new Map(); // the commands that the server knows

    /** Commits a command once, as the server does. */
    function commit({ type, id, command = id, at, text }) {
      if (effects.has(command)) return effects.get(command);
      const size = new TextEncoder().encode(stored.text).length;
      if (type === 'append' && (!stored.open || at !== size)) return { type: 'error', error: 'conflict', reason: 'other_size', message: `${size}` };
      Object.assign(stored, { text: stored.text + (text ?? ''), open: type !== 'close' });
      effects.set(command, { type: 'ok', list: LIST, revision: effects.size + 1 });
      return effects.get(command);
    }

    /** Answers what has come, or loses the connection before or after it. */
    async function serve() {
      for (const frame of sockets.last.frames.splice(0).filter(({ type }) => ['send', 'append', 'close'].includes(type))) {
        const luck = below(6);
        const answer = luck ? commit(frame) : undefined;
        if (luck > 1) sockets.last.say({ ...answer, ref: frame.ref });
        else {
          const { length } = sockets.made;
          sockets.last.end();
          while (sockets.made.length === length) clock.advance(clock.next());
          connect();
          return;
        }
      }
      await settled();
    }

    const writer = chat.write('r');
    for (let at = 0; at < text.length; ) {
      const length = 1 + below(9);
      writer.append(text.slice(at, at + length));
      at += length;
      if (below(2)) await serve();
    }
    const done = writer.close();
    for (let round = 0; round < 100 && stored.open !== false; round++) await serve();
    for (let round = 0; round < 20; round++) await serve();
    await done;
    equal(stored.text, entered(text));
  });

test('after a piece is refused, the message is closed as failed, and append throws and close rejects with the error', async () => {
  const { chat, answer, commands } = setUp();
  const writer = chat.write('r', 'The tea');
  writer.append(' is ready');
  await answer('send');
  await answer('append', { error: 'not_found', reason: 'no_message' });
  equal(commands().at(-1), ['close', 'failed']);

  let failure;
  try {
    writer.append('!');
  } catch (error) {
    failure = error;
  }
  equal([failure?.error, failure?.reason], ['not_found', 'no_message']);
  equal(await writer.close().catch((error) => error), failure);
});

test('a message that is refused is not closed', async () => {
  const { chat, answer, commands } = setUp();
  const writer = chat.write('r', 'The tea');
  writer.append(' is ready');
  await answer('send', { error: 'forbidden', reason: 'muted' });
  equal(commands(), [['send', 'The tea']]);
  equal((await writer.close().catch((error) => error)).reason, 'muted');
});

test('nothing is appended behind the end', async () => {
  const { chat } = setUp();
  const writer = chat.write('r', 'The tea');
  writer.close();
  let failure;
  try {
    writer.append('!');
  } catch ({ message }) {
    failure = message;
  }
  equal(failure, 'The message is closed.');
});
