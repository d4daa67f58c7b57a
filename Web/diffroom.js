/**
 * Diffroom's client library: rooms as live lists, over one WebSocket.
 *
 *     const chat = new Diffroom({ url: 'wss://chat.example', user: 'ann', onState: console.log });
 *     const room = chat.subscribe('room/lobby/messages', { onChange: ({ snapshot, changes }) => draw(snapshot, changes) });
 *     chat.send('lobby', 'hello');
 *
 * A replica holds one list and applies frames to it. A connection reconnects by itself, a subscription resumes its
 * list, and the outbox repeats commands that were not answered. `Diffroom` combines them for one user. The types are in
 * diffroom.d.ts.
 */

export { lowerBound } from './diffroom/orderedrows.js';
export { threadName, threadRoot, uuid } from './diffroom/identifiers.js';
export { sumsOf } from './diffroom/digest.js';
export { replica } from './diffroom/replica.js';
export { canBeSeen, entered, isReduced, textOf } from './diffroom/text.js';
export { begunMention, everyoneIn, mentionsIn, splitAtMentions } from './diffroom/mentions.js';
export { Diffroom } from './diffroom/client.js';
