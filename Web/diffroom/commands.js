/** The commands that change rooms and their messages, the drafts of the user, and whom they block. */

import { roomOf, uuid } from './identifiers.js';
import { fetchMessage } from './pages.js';
import { asking, refusal } from './requests.js';
import { entered } from './text.js';

/** The drafts that are under way to the server. */
export function draftsOf(link) {
  const last = new Map(); // room → the last draft without an answer

  /** Stores a draft. Of two for one room the later one counts: a repeat of the first would undo it. */
  const draft = (room, content) =>
    new Promise((resolve, reject) => {
      const frame = { type: 'draft', room, ...(content && { ...content, text: entered(content.text) }) };
      const isWanted = () => last.get(room) === frame || resolve();
      const answered = (answer) => {
        if (last.get(room) === frame) last.delete(room);
        if (answer.type === 'ok') resolve();
        else reject(refusal(answer));
      };
      last.set(room, frame);
      link.request(frame, answered, isWanted);
    });

  return { draft };
}

/** The commands that change rooms and what is in them, and the audit log of what moderators have changed. */
export function commandsOf(client, user, { commands: { add }, link, marks }) {
  const change = (type, { command = uuid(), ...what }) => add(command, { type, command, ...what });
  const stating = (type) => (room, what) => change(type, { room, ...what });
  const ask = asking(link);

  return {
    /** Sends a message: pending at once, and repeated with the same id until it is answered. */
    send(room, text, { id = uuid(), ...more } = {}) {
      marks.sent(room);
      const what = { id, text: entered(text), ...more };
      return add(id, { type: 'send', room, ...what }, { ...what, author: client.welcome?.user ?? user, time: Date.now() });
    },
    /** Makes an open or private room, or the direct room of these people unless there is one. Resolves to the room's name. */
    async create({ people = [], ...what }) {
      const { list } = await change('create', { ...what, people: people.map((name) => name.normalize()) });
      return roomOf(list);
    },
    audit: (room, place) => ask({ type: 'audit', room, ...place }, 'entries'),
    findMembers: (room, place) => ask({ type: 'page', list: `room/${room}/members`, ...place }, 'rows'),
    search: (query, place) => ask({ type: 'search', query, ...place }, 'results'),
    edit: (room, id, text, more) => change('edit', { room, id, text: entered(text), ...more }),
    append: (room, id, at, text, more) => change('append', { room, id, at, text: entered(text), ...more }),
    /** Ends the growth of a message. `close` is the end of the connection. */
    closeMessage: (room, id, more) => change('close', { room, id, ...more }),
    delete: (room, id, more) => change('delete', { room, id, ...more }),
    react: (room, id, emoji, on, more) => change('react', { room, id, emoji: on ? emoji.normalize() : emoji, on, ...more }),
    /** Schedules a message, or sets a reminder; `null` cancels it. */
    later: (id, content, { command = uuid() } = {}) => add(command, { type: 'later', id, ...content, ...(content?.text !== undefined && { text: entered(content.text) }) }),
    /** Blocks a user, or ends that. */
    block: (name, on, { command = uuid() } = {}) => add(command, { type: 'block', user: name, on }),
    /** Resolves to one message of a room, which need not be followed; to nothing if it is gone. */
    fetch: (room, id) => fetchMessage(link, `room/${room}/messages`, id),
    moderate: (room, action, what) => change('moderate', { room, action, ...what }),
    join: stating('join'),
    leave: stating('leave'),
    set: stating('settings'),
  };
}
