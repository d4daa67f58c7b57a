/** The library's tests in Node, and a conversation with a real server if its address is given. */

import { webcrypto } from 'node:crypto';
import { createRequire } from 'node:module';

const [url] = process.argv.slice(2);
const WebSocket = url && createRequire(import.meta.url)('/usr/share/nodejs/ws');

// Node 18 has none of these, whichever this is.
for (const name of ['toReversed', 'toSorted', 'toSpliced', 'with']) delete Array.prototype[name];
for (const [owner, name] of [[Promise, 'withResolvers'], [Object, 'groupBy'], [Map, 'groupBy'], [globalThis, 'crypto'], [globalThis, 'WebSocket']]) delete owner[name];

const { Diffroom, uuid } = await import('../diffroom.js');
const { results } = await import('./library.js');

if (url) results.push(await talk(new Set()), await exchangeFile());
console.log(JSON.stringify(results));

/** Two people who are both here hear each other, and `ws` is all that Node needs besides. */
async function talk(heard) {
  const sentence = 'a message goes from one to the other';
  const clients = ['ann', 'bob'].map((user) => new Diffroom({ url, user, environment: { WebSocket } }));
  try {
    const all = new Promise((resolve) => {
      const onChange = ({ snapshot }) => {
        for (const { text } of snapshot.sections.flatMap(({ rows }) => rows)) heard.add(text);
        if (heard.size === 2) resolve();
      };
      clients[0].subscribe('room/node/messages', { onChange });
    });
    for (const client of clients) await client.send('node', `said in Node by ${client.welcome?.user ?? 'somebody'} ${clients.indexOf(client)}`);
    await all;
    return { sentence };
  } catch (error) {
    return { sentence, failure: String(error.stack) };
  } finally {
    for (const client of clients) client.close();
  }
}

/** A file is uploaded, sent, and the same for the one who gets it. */
async function exchangeFile() {
  const sentence = 'a file goes from one to the other';
  const [ann, bob] = ['ann', 'bob'].map((user) => new Diffroom({ url, user, environment: { WebSocket, subtle: webcrypto.subtle } }));
  try {
    const id = uuid();
    const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
    const made = await ann.upload('files', id, Object.assign(new Blob([content]), { name: 'numbers.bin' }));
    await ann.send('files', 'numbers', { id, files: [made] });
    const { files } = await bob.subscribe('room/files/messages').fetch(id);
    const [link] = await bob.links('files', [{ message: id, id: files[0].id }]);
    const got = new Uint8Array(await (await fetch(link)).arrayBuffer());
    const isSame = files[0].name === 'numbers.bin' && Buffer.compare(got, content) === 0;
    return { sentence, ...(!isSame && { failure: `${files[0].name}, ${got.length} bytes` }) };
  } catch (error) {
    return { sentence, failure: String(error.stack) };
  } finally {
    for (const client of [ann, bob]) client.close();
  }
}
