/** The places of pinned rooms, which the page keeps. */

import { placeAt, pinsFor } from '../pins.js';
import { equal, ok, random, test } from './checks.js';

/** A person's pinned rooms, as the server keeps them: of those with one place all but the first by name get the next free ones. */
function server() {
  const places = new Map();
  return {
    rows() {
      const rows = [...places].map(([id, place]) => ({ id, place })).sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1));
      let last = 0;
      return rows.map(({ id, place }) => ({ id, sort: (last = Math.max(last + 1, place)) }));
    },
    unpin: (room) => places.delete(room),
    pin({ room, pinned }) {
      ok(Number.isInteger(pinned) && pinned > 0 && pinned <= 2 ** 50, `${pinned} is no place`);
      places.set(room, pinned);
    },
  };
}

for (let seed = 1; seed <= 40; seed++)
  test(`rooms that are pinned, moved and unpinned stand where they were brought (seed ${seed})`, () => {
    const { below, pick } = random(seed);
    const held = server();
    let model = [];
    // Some live in a narrow place, at the beginning or at the end of all keys.
    for (let room = 0; room < seed % 4; room++) held.pin({ room: `early-${room}`, pinned: (room % 2) + 1 });
    for (let room = 0; room < seed % 3; room++) held.pin({ room: `late-${room}`, pinned: 2 ** 50 });
    model = held.rows().map(({ id }) => id);

    for (let step = 0; step < 400; step++) {
      const room = below(3) && model.length ? pick(model) : `room-${below(6)}`;
      const isUnpinned = model.includes(room) && !below(8);
      const place = below(4) ? below(model.length + 2) : Math.min(1, model.length);
      model = model.filter((other) => other !== room);
      if (isUnpinned) held.unpin(room);
      else {
        model.splice(place, 0, room);
        const pins = pinsFor(held.rows(), room, place);
        equal(new Set(pins.map(({ room }) => room)).size, pins.length, 'no room is pinned twice');
        for (const pin of pins) held.pin(pin);
      }
      equal(held.rows().map(({ id }) => id), model, `step ${step}`);
    }
  });

test('twenty rooms come between two neighbours before these are pinned anew', () => {
  const held = server();
  for (const room of ['first', 'last']) for (const pin of pinsFor(held.rows(), room, 1)) held.pin(pin);
  equal(held.rows(), [{ id: 'first', sort: 2 ** 20 }, { id: 'last', sort: 2 ** 21 }]);
  for (let room = 0; room < 20; room++) {
    const pins = pinsFor(held.rows(), `room-${room}`, 1);
    equal(pins.length, 1);
    held.pin(pins[0]);
  }
  equal(pinsFor(held.rows(), 'one more', 1).length, 23);
});

test('a row that is dropped goes before the first one whose middle is below it', () => {
  equal([5, 10, 15, 25, 99].map((y) => placeAt(y, [10, 20, 30])), [0, 1, 1, 2, 3]);
  equal(placeAt(7, []), 0);
});
