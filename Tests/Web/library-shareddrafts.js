/** The drafts of one user on several devices, each with tabs that share its storage, beside a server that the tests play. */

import { Drafts, behind, contentOf, draftOf, messageOf, withMessage, withOther } from '../drafts.js';
import { SharedDrafts } from '../shareddrafts.js';
import { equal, handClock, ok, random, test } from './checks.js';

const ROOM = 'lobby';
const ANSWER = '00000001-0000-4000-8000-000000000001'; // a message's id

// The parts of a draft

const edit = (text, aside) => ({ text, mode: { edit: ANSWER, label: 'Edit your message' }, aside });

test('only what is a new message leaves the browser', () => {
  const reply = { text: 'one\u0007', mode: { replyTo: ANSWER, label: 'Reply to bob: hi', mentions: ['bob'] } };
  const content = { text: 'one', replyTo: ANSWER, mentions: ['bob'] };
  equal([contentOf(reply), contentOf(edit('two', reply)), contentOf(edit('two')), contentOf({ ...reply, text: ' ' })], [content, content, null, null]);
});

test('what another device has written keeps the label of the same answer, and edits stay before it', () => {
  const reply = { text: 'one', mode: { replyTo: ANSWER, label: 'Reply to bob: hi' } };
  equal(draftOf({ text: 'two', replyTo: ANSWER }, reply), { text: 'two', mode: reply.mode });
  equal(draftOf({ text: 'two', replyTo: ANSWER }, {}), { text: 'two', mode: { replyTo: ANSWER, label: 'Reply' } });
  equal(draftOf({ text: 'two' }, reply), { text: 'two', mode: {} });
  equal(withMessage(edit('three', { text: 'one' }), { text: 'two' }), edit('three', { text: 'two' }));
  equal(messageOf(edit('three', edit('four', { text: 'one' }))), { text: 'one' });
});

test('another text goes behind a draft once, in the place of its beginnings', () => {
  const draft = behind({ text: 'mine' }, { text: 'th' });
  const more = withOther(draft, { text: 'theirs' });
  equal([more.text, more.aside.text, more.aside.aside], ['mine', 'theirs', undefined]);
  ok(withOther(more, { text: 'the' }) === more && withOther(more, { text: 'mine' }) === more, 'it is there');
  equal(withOther(edit('an edit', { text: 'theirs' }), { text: 'an' }).aside.aside.text, 'an');
});

test('the drafts of a user whose name ends with that of another are not of the other', () => {
  const keys = ['draft lobby big ann', 'synced tea big ann', 'draft den ann'];
  const drafts = new Drafts(() => 'ann', { keys: (prefix) => keys.filter((key) => key.startsWith(prefix)) });
  equal([drafts.rooms, ...keys.map((key) => drafts.roomOf(`diffroom.${key}`) ?? null)], [['den'], null, null, 'den']);
});

// Several devices

/** A server: what passes between it and a connection keeps its order, and takes a random time. */
class DraftServer {
  /** The row of each room. */
  drafts = new Map();
  frames = 0;
  #connections = new Set();

  constructor(clock, chance) {
    this.clock = clock;
    this.chance = chance;
  }

  connect(handle) {
    const connection = { handle, toClient: 0, toServer: 0 };
    this.#connections.add(connection);
    this.#pass(connection, 'toServer', () => this.#show(connection));
    return connection;
  }

  end(connection) {
    this.#connections.delete(connection);
  }

  store(connection, room, content, answered) {
    this.frames++;
    this.#pass(connection, 'toServer', () => {
      if (content) this.drafts.set(room, { id: room, ...content });
      else this.drafts.delete(room);
      // Those that follow the list get the same diffs, each of one or several changes.
      const publish = () => this.clock.after(this.chance.below(50), () => this.#connections.forEach((one) => this.#show(one)));
      const answer = () => this.#pass(connection, 'toClient', () => answered());
      for (const step of this.chance.below(2) ? [publish, answer] : [answer, publish]) step();
    });
  }

  #show(connection) {
    const rows = new Map(this.drafts);
    this.#pass(connection, 'toClient', () => connection.handle(rows));
  }

  #pass(connection, way, action) {
    const at = Math.max(connection[way], this.clock.now() + this.chance.below(200));
    connection[way] = at + 0.001;
    this.clock.after(at - this.clock.now(), () => this.#connections.has(connection) && action());
  }
}

/** The storage of a browser. Its tabs are told of changes that another one makes. */
function storageOf(tabs) {
  const values = new Map();
  return (tab) => ({
    get: (key) => values.get(key),
    set(key, value) {
      values.set(key, value);
      for (const other of tabs) if (other !== tab()) other.drafts.handleOtherTab(`diffroom.${key}`);
    },
    delete(key) {
      if (values.delete(key)) for (const other of tabs) if (other !== tab()) other.drafts.handleOtherTab(`diffroom.${key}`);
    },
    keys: (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
  });
}

class Tab {
  isAtField = false;
  #server;
  #connection;
  #rows = new Map();
  #isFirst = false;
  #lost = new Set(); // what rejects the requests without an answer
  #onChange;

  constructor(server, kept) {
    this.#server = server;
    const { clock } = server;
    const page = { chat: () => this.#chat, limits: () => ({ text: 8192, drafts: 100 }), people: () => [], isAtField: () => this.isAtField, onChange: () => {}, onConflict: () => {} };
    this.drafts = new SharedDrafts(new Drafts(() => 'ann', kept(() => this)), page, clock);
    this.drafts.follow(this.#chat);
    this.connect();
  }

  #chat = {
    state: 'waiting',
    subscribe: (_list, { onChange }) => {
      this.#onChange = onChange;
      return { get: (room) => this.#rows.get(room), snapshot: () => ({ count: this.#rows.size }) };
    },
    draft: (room, content) =>
      new Promise((stored, lost) => {
        if (!this.isOnline) return lost(Error('no connection'));
        this.#lost.add(lost);
        return this.#server.store(this.#connection, room, content, () => this.#lost.delete(lost) && stored());
      }),
  };

  get isOnline() {
    return this.#chat.state === 'online';
  }

  connect() {
    if (this.isOnline) return;
    this.#chat.state = 'online';
    this.#isFirst = true;
    this.drafts.begin();
    this.#connection = this.#server.connect((rows) => this.#show(rows));
  }

  disconnect() {
    if (!this.isOnline) return;
    this.#chat.state = 'waiting';
    this.#server.end(this.#connection);
    for (const lost of this.#lost) lost(Error('the connection has ended'));
    this.#lost.clear();
  }

  #show(rows) {
    const before = this.#rows;
    this.#rows = rows;
    const changed = [...rows.values()].filter((row) => before.get(row.id) !== row);
    const deleted = [...before.keys()].filter((room) => !rows.has(room));
    if (!this.#isFirst && !changed.length && !deleted.length) return;
    this.#isFirst = false;
    this.#onChange({ changes: { deleted, inserted: changed, moved: [], reloaded: [], reconfigured: [] } });
  }

  get draft() {
    return this.drafts.of(ROOM);
  }

  write(change) {
    this.drafts.write(ROOM, change(this.draft));
  }
}

const textsOf = ({ text = '', aside }) => [text, ...(aside ? textsOf(aside) : [])];

/** Does something on a device, and notes the words that the user has written, sent and deleted. */
function act(tab, chance, words, number) {
  const kind = chance.pick(['type', 'type', 'type', 'clear', 'send', 'leave', 'cut', 'mend']);
  const drop = (text) => text.split(' ').forEach((word) => words.delete(word));
  if (kind === 'cut') tab.disconnect();
  else if (kind === 'mend') tab.connect();
  else if (kind === 'leave') {
    tab.isAtField = false;
    tab.drafts.flush();
  } else {
    tab.isAtField = true;
    const { text = '', mode = {}, aside } = tab.draft;
    if (kind === 'type') words.add(`w${number}.`);
    else drop(text);
    if (kind === 'type') tab.write(() => ({ text: `${text} w${number}.`, mode, aside }));
    else if (kind === 'clear') tab.write(() => ({ text: '', mode: {}, aside }));
    else tab.write(() => aside ?? {});
    if (kind === 'send') tab.drafts.flush();
  }
}

/** Lets time go by, from timer to timer, and what waits for a promise in between. */
async function pass(clock, time) {
  for (let left = time, step = 0; left > 0; left -= step) {
    step = Math.min(Math.max(clock.next(), 0.001), left);
    clock.advance(step);
    await Promise.resolve();
  }
}

for (let seed = 1; seed <= 200; seed++)
  test(`drafts of several devices become one, and no word is lost (seed ${seed})`, async () => {
    const chance = random(seed);
    const clock = handClock();
    const server = new DraftServer(clock, chance);
    const all = Array.from({ length: 2 + (seed % 2) }, () => {
      const tabs = [];
      const kept = storageOf(tabs);
      for (let count = 1 + (seed % 3 === 0 ? 1 : 0); count; count--) tabs.push(new Tab(server, kept));
      return tabs;
    }).flat();
    const words = new Set();
    for (let number = 1; number <= 25; number++) {
      act(chance.pick(all), chance, words, number);
      await pass(clock, chance.pick([20, 300, 1_500, 8_000]));
    }
    for (const tab of all) {
      tab.connect();
      tab.isAtField = false;
    }
    await pass(clock, 30_000);
    const { frames } = server;
    await pass(clock, 60_000);

    equal(server.frames, frames, 'nothing is sent for ever');
    const there = server.drafts.get(ROOM)?.text;
    equal(all.map(({ draft }) => contentOf(draft)?.text), all.map(() => there), 'all devices have the same');
    const texts = all.flatMap(({ draft }) => textsOf(draft)).join(' ').split(' ');
    equal([...words].filter((word) => !texts.includes(word)), [], 'no word is lost');
  });
