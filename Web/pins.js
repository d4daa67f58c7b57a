/** The places of pinned rooms: the one with the lowest sort key is on top. */

const STEP = 2 ** 20; // between neighbours, so that many rooms can come between them
const LAST = 2 ** 50;

/**
 * Returns the pins, as `{room, pinned}`, that bring a room to a place among the pinned rows: its own, with a sort key
 * between its neighbours'; and those of all, if there is none.
 */
export function pinsFor(rows, room, place) {
  const others = rows.filter(({ id }) => id !== room);
  const index = Math.min(Math.max(place, 0), others.length);
  const before = others[index - 1]?.sort ?? 0;
  const after = others[index]?.sort;
  const pinned = before + (after === undefined ? STEP : Math.floor((after - before) / 2));
  // A row right behind another one may have a lower key, which the other one has, too.
  const isHidden = rows.some(({ sort }) => sort + 1 === after);
  if (pinned > before && pinned <= LAST && !isHidden) return [{ room, pinned }];
  const ids = others.map(({ id }) => id);
  ids.splice(index, 0, room);
  return ids.map((id, at) => ({ room: id, pinned: (at + 1) * STEP }));
}

/** Returns the place that a row dropped at this height gets: `middles` are the heights of the other rows, from above. */
export function placeAt(y, middles) {
  const place = middles.findIndex((middle) => y < middle);
  return place < 0 ? middles.length : place;
}
