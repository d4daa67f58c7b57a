/** The files of messages: words about them, the tray, and the library's uploads against a server that a test plays. */

import { Diffroom } from '../diffroom.js';
import { boxOf, faultOf, iconOf, nameOf, namesOf, shownAs, sizeInWords, textBeside } from '../files.js';
import { Tray, waitNotice, withoutNames } from '../tray.js';
import { equal, handClock, handSockets, ok, test } from './checks.js';

const LIMITS = { files: 3, fileBytes: 1_000 };
const file = (name, size = 10, type = 'text/plain') => /** @type {any} */ ({ name, size, type });
const states = (tray) => tray.entries.map(({ name, state }) => `${name} ${state}`);

// Words

test('files: a size has two digits at least, and the unit that a person says', () => {
  const [kB, MB, GB, TB] = [1, 2, 3, 4].map((power) => 1_024 ** power);
  const sizes = [1, 2, 1_023, kB, 1.2 * kB, 9.94 * kB, 9.95 * kB, 34 * kB, 999.4 * kB, 999.5 * kB, 5.3 * MB, 100 * MB, 999.6 * MB, 4 * TB, 4_000 * TB, GB];
  equal(sizes.map(sizeInWords), ['1 byte', '2 bytes', '1023 bytes', '1.0 kB', '1.2 kB', '9.9 kB', '10 kB', '34 kB', '999 kB', '1.0 MB', '5.3 MB', '100 MB', '1.0 GB', '4.0 TB', `${(4_000).toLocaleString()} TB`, '1.0 GB']);
});

test('files: what a browser can show is shown, and nothing that it would run', () => {
  equal(['image/png', 'video/webm', 'audio/mpeg', 'image/svg+xml', 'text/html', 'application/pdf', ''].map(shownAs), ['picture', 'video', 'audio', 'card', 'card', 'card', 'card']);
  const media = ['image/heic', 'video/x-matroska', 'audio/flac', 'application/zip', 'application/pdf', 'text/csv', 'application/octet-stream', ''];
  equal(media.map(iconOf), ['picture', 'video', 'audio', 'archive', 'text', 'text', 'other', 'other']);
});

test('files: a box has the proportions of its picture, and no more than its place', () => {
  equal(boxOf({ width: 100, height: 80 }), { width: 100, height: 80 });
  equal(boxOf({ width: 3_600, height: 1_800 }), { width: 360, height: 180 });
  equal(boxOf({ width: 1_000, height: 3_000 }), { width: 100, height: 300 });
  equal(boxOf({ width: 3_600, height: 1_800 }, true), { width: 260, height: 130 });
  equal(boxOf({ width: 100_000, height: 10 }), { width: 360, height: 48 });
  for (const wrong of [{}, { width: 0, height: 5 }, { width: '9', height: 9 }, { width: -1, height: 2 }, { width: Infinity, height: 1 }]) equal(boxOf(/** @type {any} */ (wrong)), { width: 240, height: 180 });
});

test('files: a text that only names them is left out, and no other', () => {
  const files = [{ name: 'a.png' }, { name: 'b, c.txt' }];
  equal(namesOf(files), 'a.png, b, c.txt');
  equal(textBeside({ text: 'a.png, b, c.txt', files }), '');
  equal(textBeside({ text: 'a.png', files }), 'a.png');
  equal(textBeside({ text: '', files: [] }), '');
  equal(withoutNames({ text: 'a.png, b, c.txt', files, id: 'x' }), { text: '', files, id: 'x' });
  equal(nameOf({ name: 'photo\u202Egnp.exe' }), 'photognp.exe');
});

test('files: one that is empty or too large is not sent', () => {
  equal(faultOf(file('a', 0), LIMITS), 'a is empty.');
  equal(faultOf(file('a', 1_001), LIMITS), 'a is too large: a file has at most 1000 bytes.');
  equal([faultOf(file('a', 1_000), LIMITS), faultOf(file('a', 1e9), {})], [undefined, undefined]);
});

// The tray

test('the tray takes as many files as a message has, and says why it leaves others out', () => {
  const tray = new Tray();
  equal(tray.add([file('a'), file('b', 0), file('c', 2_000), file('d')], LIMITS), 'b is empty. c is too large: a file has at most 1000 bytes.');
  equal(tray.add([file('e'), file('f'), file('g')], LIMITS), 'A message has at most 3 files.');
  equal(states(tray), ['a waiting', 'd waiting', 'e waiting']);
});

test('the tray uploads two files at a time, in their order', () => {
  const tray = new Tray();
  tray.add([file('a'), file('b'), file('c')], LIMITS);
  const [a, b] = tray.begin();
  equal([a.name, b.name, tray.begin().length, tray.missing], ['a', 'b', 0, 3]);
  tray.done(b.key, { id: 'B', name: 'b' });
  equal(tray.begin().map(({ name }) => name), ['c']);
  tray.done(a.key, { id: 'A', name: 'a' });
  tray.know(a.key, { width: 4, height: 3 });
  equal([tray.missing, tray.files], [1, [{ id: 'A', name: 'a', width: 4, height: 3 }, { id: 'B', name: 'b' }]]);
});

test('the tray keeps a file that failed, tries it again, and forgets one that is removed', () => {
  const tray = new Tray();
  tray.add([file('a'), file('b')], LIMITS);
  const [a, b] = tray.begin();
  tray.fail(a.key, 'too much');
  equal([tray.fault, tray.missing, tray.get(a.key).fault], ['a was not uploaded: try again, or remove it.', 1, 'too much']);
  tray.retry(a.key);
  equal([tray.fault, tray.begin().map(({ name }) => name)], [undefined, ['a']]);
  tray.remove(b.key);
  tray.done(b.key, { id: 'B' }); // its answer was on its way
  tray.progress(b.key, 5);
  equal([states(tray), tray.files], [['a uploading'], []]);
});

test('the tray gets the files of a refused message back with its id, in front of those chosen since', () => {
  const tray = new Tray();
  tray.add([file('new')], LIMITS);
  tray.done(tray.begin()[0].key, { id: 'N', name: 'new' });
  tray.restore({ id: 'refused', files: [{ id: 'A', name: 'a', size: 1, media: 'text/plain', proof: 'p', width: 2 }] });
  equal([tray.id, states(tray)], ['refused', ['a done', 'new waiting']]);
  equal(tray.files, [{ id: 'A', name: 'a', size: 1, media: 'text/plain', proof: 'p', width: 2 }]);
});

test('the tray says how many files a message waits for', () => {
  equal(waitNotice(1), '1 file is still being uploaded. The message is sent when it is there.');
  equal(waitNotice(2), '2 files are still being uploaded. The message is sent when they are there.');
});

// Uploads

const WELCOME = { type: 'welcome', user: 'ann', server: 'test', heartbeat: 25_000, limits: { pending: 256, text: 8192, files: 10, fileBytes: 1e6 } };
const MADE = { id: 'f', name: 'a.txt', media: 'text/plain', size: 6, sha256: '00', proof: 'p' };

/** A client whose requests over HTTP are answered by a list of functions, or of answers. */
function setUp(answers, { subtle = { digest: async () => new Uint8Array([0, 255]).buffer } } = {}) {
  const clock = handClock();
  const sockets = handSockets();
  const requests = [];
  async function transfer(method, url, { headers, body, onprogress }) {
    requests.push([method, url, headers?.['content-range'] ?? headers?.['x-sum'] ?? '', body ? await body.text() : ''].filter(Boolean).join(' '));
    const answer = answers.shift();
    if (!answer) throw Error('no answer');
    return { offset: null, text: '', ...(typeof answer === 'function' ? answer(onprogress) : answer) };
  }
  const environment = { WebSocket: sockets.WebSocket, now: clock.now, after: clock.after, cancel: clock.cancel, random: () => 0.5, subtle, transfer };
  const chat = new Diffroom({ url: 'ws://test/chat/', user: 'ann', environment });
  const greet = () => {
    sockets.last.onopen();
    sockets.last.answer('hello', WELCOME);
  };
  const answerUpload = (n = 1, more = {}) => sockets.last.answer('upload', { type: 'uploading', file: 'f', url: `/uploads/t${n}`, until: 1, ...more });
  return { chat, clock, sockets, requests, greet, answerUpload };
}

const settled = async () => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};

/** A file that is read within a microtask: a Blob of a browser takes longer. */
function named(content, name, type = 'text/plain') {
  const read = { arrayBuffer: async () => new ArrayBuffer(content.length), slice: (from) => ({ text: async () => content.slice(from) }) };
  return /** @type {any} */ ({ name, type, size: content.length, ...read });
}

test('an upload says what the file is, sends it, and resolves to its object', async () => {
  const { chat, requests, greet, answerUpload } = setUp([(onprogress) => (onprogress(6), { status: 201, text: JSON.stringify(MADE) })]);
  greet();
  const progress = [];
  const made = chat.upload('r', 'm1', named('abcdef', 'a/b\n\u0007.txt', 'text/plain;charset=utf-8'), { onprogress: (said) => progress.push(said) });
  await settled();
  const { ref, ...frame } = answerUpload();
  equal(frame, { type: 'upload', room: 'r', message: 'm1', name: 'a_b_.txt', media: 'text/plain', size: 6, sha256: '00ff' });
  equal([await made, requests, progress], [MADE, ['PUT http://test/uploads/t1 abcdef'], [{ loaded: 6, total: 6 }]]);
});

test('the name of a file keeps its end when it is long, and can be seen', async () => {
  const names = ['x'.repeat(300) + '.tar.gz', 'ö'.repeat(200), '\u200b', undefined];
  const sent = [];
  for (const name of names) {
    const { chat, sockets, greet } = setUp([]);
    greet();
    chat.upload('r', 'm', named('a', name)).catch(() => {});
    await settled();
    sent.push(sockets.last.frames.at(-1).name);
  }
  ok(sent[0].length === 255 && sent[0].endsWith('x.tar.gz'), sent[0]);
  equal(sent.slice(1), ['ö'.repeat(127), 'file', 'file']);
});

test('an upload goes on where the connection was lost', async () => {
  const { chat, clock, requests, greet, answerUpload } = setUp([undefined, { status: 200, offset: '4' }, { status: 202, offset: '5' }, undefined, { status: 200, offset: '6' }, { status: 201, text: JSON.stringify(MADE) }]);
  greet();
  const made = chat.upload('r', 'm', named('abcdef', 'a.txt'));
  await settled();
  answerUpload();
  await settled();
  for (let turn = 0; turn < 2; turn++) {
    clock.advance(1_000);
    await settled();
  }
  equal((await made).id, 'f');
  const url = 'http://test/uploads/t1';
  equal(requests, [`PUT ${url} abcdef`, `HEAD ${url}`, `PUT ${url} bytes 4-5/6 ef`, `PUT ${url} bytes 5-5/6 f`, `HEAD ${url}`, `PUT ${url} bytes 5-5/6 f`]);
});

test('an upload renews an expired URL, and begins again after a wrong checksum', async () => {
  const { chat, requests, greet, answerUpload } = setUp([{ status: 403 }, { status: 400 }, { status: 409, offset: '3' }, { status: 201, text: JSON.stringify(MADE) }]);
  greet();
  const made = chat.upload('r', 'm', named('abcdef', 'a.txt'));
  for (const number of [1, 2]) {
    await settled();
    answerUpload(number);
  }
  await made;
  equal(requests, ['PUT http://test/uploads/t1 abcdef', 'PUT http://test/uploads/t2 abcdef', 'PUT http://test/uploads/t2 abcdef', 'PUT http://test/uploads/t2 bytes 3-5/6 def']);
});

const STORE = { url: 'https://store/key?sign', headers: { 'x-sum': 'S' }, confirm: '/uploads/t1' };
const [PUT, POST] = ['PUT https://store/key?sign S abcdef', 'POST http://test/uploads/t1'];

test('a file goes to a store whole, with its headers, and is confirmed', async () => {
  const { chat, requests, greet, answerUpload } = setUp([(onprogress) => (onprogress(6), { status: 200 }), { status: 201, text: JSON.stringify(MADE) }]);
  greet();
  const progress = [];
  const made = chat.upload('r', 'm', named('abcdef', 'a.txt'), { onprogress: (said) => progress.push(said) });
  await settled();
  answerUpload(1, STORE);
  equal([(await made).id, requests, progress], ['f', [PUT, POST], [{ loaded: 6, total: 6 }]]);
});

test('after a lost connection a store has a file, or it is sent whole again', async () => {
  const missing = { status: 404, text: '{"type":"error","code":"not_found","reason":"no_file","message":"no bytes"}' };
  const answers = [undefined, missing, { status: 200 }, { status: 503 }, { status: 201, text: JSON.stringify(MADE) }];
  const { chat, clock, requests, greet, answerUpload } = setUp(answers);
  greet();
  const made = chat.upload('r', 'm', named('abcdef', 'a.txt'));
  await settled();
  answerUpload(1, STORE);
  for (let turn = 0; turn < 2; turn++) {
    await settled();
    clock.advance(2_000);
  }
  equal([(await made).id, requests], ['f', [PUT, POST, PUT, POST, POST]]);
});

test('an upload to a store renews an expired address, and has the reason of a refusal', async () => {
  const refused = { status: 413, text: '{"type":"error","code":"too_large","reason":"user_files","message":"too much"}' };
  const { chat, requests, greet, answerUpload } = setUp([{ status: 403, text: '<Error/>' }, { status: 400, text: '<Error/>' }, { status: 200 }, refused]);
  greet();
  let reason;
  const done = chat.upload('r', 'm', named('abcdef', 'a.txt')).catch((error) => (reason = error.reason));
  for (let turn = 0; turn < 2; turn++) {
    await settled();
    answerUpload(1, STORE);
  }
  await done;
  equal([reason, requests], ['user_files', [PUT, PUT, PUT, POST]]);
});

test('an upload that the server refuses has its reason, over HTTP and over the socket', async () => {
  const refused = { type: 'error', code: 'too_large', reason: 'user_bytes', message: 'too much' };
  const { chat, sockets, greet, answerUpload } = setUp([{ status: 413, text: JSON.stringify(refused) }, { status: 418, text: 'tea' }]);
  greet();
  const errors = [];
  const upload = () => chat.upload('r', 'm', named('abcdef', 'a.txt')).catch(({ error, reason, message }) => errors.push({ error, reason, message }));
  for (let turn = 0; turn < 2; turn++) {
    upload();
    await settled();
    answerUpload();
    await settled();
  }
  upload();
  await settled();
  sockets.last.answer('upload', { type: 'error', error: 'forbidden', reason: 'role', message: 'readers send none' });
  await settled();
  equal(errors, [{ error: 'too_large', reason: 'user_bytes', message: 'too much' }, { message: 'The server answered with 418.' }, { error: 'forbidden', reason: 'role', message: 'readers send none' }]);
});

test('an upload waits for a connection, and ends after too many attempts', async () => {
  const { chat, clock, sockets, requests, greet, answerUpload } = setUp([]);
  let error;
  chat.upload('r', 'm', named('abcdef', 'a.txt')).catch((failure) => (error = failure));
  await settled();
  greet();
  await settled();
  sockets.last.end();
  await settled();
  clock.advance(1_000);
  greet();
  await settled();
  answerUpload();
  for (let turn = 0; turn < 12; turn++) {
    await settled();
    sockets.last.say({ type: 'pong' });
    clock.advance(30_000);
  }
  equal([requests.filter((said) => said.startsWith('PUT')).length, error?.message, error?.error], [9, 'The connection was lost.', undefined]);
});

test('an upload that is cancelled rejects, and no file is sent without https', async () => {
  const { chat, greet } = setUp([]);
  greet();
  const cancelling = new AbortController();
  let [ended, error] = [false, undefined];
  chat.upload('r', 'm', named('a', 'a.txt'), { signal: cancelling.signal }).catch(() => (ended = true));
  cancelling.abort();
  await settled();
  const plain = setUp([], { subtle: null });
  plain.greet();
  await plain.chat.upload('r', 'm', named('a', 'a.txt')).catch(({ message }) => (error = message));
  equal([ended, error], [true, 'Files need https: over plain http, browsers compute no checksums.']);
});

test('links are asked for by the hundred, and come in the order of the files', async () => {
  const { chat, sockets, greet } = setUp([]);
  greet();
  const files = Array.from({ length: 101 }, (_, index) => ({ message: 'm', id: `f${index}`, name: 'a' }));
  const links = chat.links('r', files);
  for (const count of [100, 1]) {
    await settled();
    const asked = sockets.last.frames.at(-1).files;
    equal([asked.length, asked[0]], [count, { message: 'm', id: count === 1 ? 'f100' : 'f0' }]);
    sockets.last.answer('links', { type: 'links', urls: asked.map(({ id }) => `/files/${id}`), until: 1 });
  }
  const urls = await links;
  equal([urls.length, urls[0], urls[100]], [101, 'http://test/files/f0', 'http://test/files/f100']);
});

test('a message has its files in its frame, and while it is pending', () => {
  const { chat, sockets, greet } = setUp([]);
  greet();
  const list = chat.subscribe('room/r/messages');
  chat.send('r', 'a.txt', { id: 'm', files: [MADE] });
  equal([sockets.last.frames.findLast(({ type }) => type === 'send').files, list.snapshot().pending[0].files], [[MADE], [MADE]]);
});
