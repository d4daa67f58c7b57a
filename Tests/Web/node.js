/** The library's tests in Node, and a conversation with a real server if its address is given. */

import { createRequire } from 'node:module';

const [url] = process.argv.slice(2);
const WebSocket = url && createRequire(import.meta.url)('/usr/share/nodejs/ws');

// Node 18 has none of these, whichever this is.
for (const name of ['toReversed', 'toSorted', 'toSpliced', 'with']) delete Array.prototype[name];
for (const [owner, name] of [[Promise, 'withResolvers'], [Object, 'groupBy'], [Map, 'groupBy'], [globalThis, 'crypto'], [globalThis, 'WebSocket']]) delete owner[name];

const { Diffroom } = await import('../diffroom.js');
const { results } = await import('./library.js');

if (url) results.push(await talk(new Set()));
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
