// Who is in the room: the panel beside the conversation, and the line that says who is typing.

import { element, listed, paintAvatar } from './messages.js';

const $ = (id) => document.getElementById(id);

/**
 * Shows a list of members.
 *
 * `list()` is the subscription, `me()` one's own name, `kept` remembers whether the panel is open, and `onPeople` is told
 * of all who have a row.
 */
export function peopleView({ list, me, kept, onPeople }) {
  const wide = matchMedia('(min-width: 761px)');
  const persons = new Map(); // name → element
  let areKnown = false; // an older server has no list of people
  let isDrawn = false; // on a phone the list is a drawer

  function take({ snapshot, changes }) {
    for (const id of changes.deleted) dismiss(id);
    // From the end: each finds the one after it in its place.
    for (const row of [...changes.inserted, ...changes.moved].sort((a, b) => b.sort - a.sort)) placePerson(row);
    for (const row of [...changes.inserted, ...changes.moved, ...changes.reloaded, ...changes.reconfigured]) paintPerson(row);
    for (const section of snapshot.sections) countPeople(section, snapshot.counts?.[section.id] ?? section.rows.length);
    const people = snapshot.sections.flatMap(({ rows }) => rows);
    showTyping(people);
    onPeople(people);
    if (areKnown) return;
    areKnown = true;
    showPanel();
  }

  function dismiss(id) {
    persons.get(id)?.remove();
    persons.delete(id);
  }

  function placePerson(row) {
    const [rows, index] = list().placeOf(row);
    const made = persons.get(row.id) ?? person(row);
    persons.set(row.id, made);
    $(`people-${row.section}`)?.querySelector('ul').insertBefore(made, persons.get(rows[index + 1]?.id) ?? null);
  }

  function person({ id }) {
    const avatar = element('span', { className: 'avatar small', ariaHidden: 'true' });
    paintAvatar(avatar, id);
    const you = id === me() ? [element('span', { className: 'you' }, 'you')] : [];
    return element('li', {}, avatar, element('bdi', { title: id }, id), ...you);
  }

  function paintPerson({ id, typing }) {
    const made = persons.get(id);
    made.querySelector('.dots')?.remove();
    if (typing) made.append(dots());
  }

  const dots = () => element('span', { className: 'dots', ariaHidden: 'true' }, element('i'), element('i'), element('i'));

  function countPeople({ id, rows }, count) {
    const section = $(`people-${id}`);
    if (!section) return;
    section.hidden = !count;
    section.querySelector('.number').textContent = count;
    const rest = section.querySelector('.rest');
    rest.hidden = count <= rows.length;
    rest.textContent = `and ${count - rows.length} more`;
    if (id === 'online') {
      $('people-count').textContent = count;
      $('people-button').ariaLabel = `People: ${count} online`;
    }
  }

  function showTyping(people) {
    const names = people.filter(({ id, typing }) => typing && id !== me()).map(({ id }) => element('bdi', {}, id));
    const parts = names.length > 3 ? ['Several people'] : listed(names);
    $('typing').replaceChildren(...(names.length ? [dots(), ...parts, names.length > 1 ? ' are typing…' : ' is typing…'] : []));
  }

  function miss({ error }) {
    if (error === 'diverged') return;
    areKnown = false;
    showTyping([]);
    onPeople([]);
    showPanel();
  }

  /** Beside the conversation if there is room for both, else over it. */
  function showPanel() {
    const isOpen = areKnown && (wide.matches ? kept.get('people') !== 'closed' : isDrawn);
    $('people').hidden = !isOpen;
    $('people-button').hidden = !areKnown;
    $('people-button').ariaExpanded = String(isOpen);
    $('room').inert = isOpen && !wide.matches;
    $('scrim').hidden = !$('room').inert;
  }

  function openPanel(open) {
    if (wide.matches) kept.set('people', open ? 'open' : 'closed');
    else isDrawn = open;
    showPanel();
    if (!open) $('people-button').focus();
    else if (!wide.matches) $('people-close').focus({ preventScroll: true }); // it is still sliding in
  }

  $('people-button').addEventListener('click', () => openPanel($('people').hidden));
  $('people-close').addEventListener('click', () => openPanel(false));
  $('scrim').addEventListener('click', () => openPanel(false));
  $('people').addEventListener('keydown', ({ key }) => key === 'Escape' && openPanel(false));
  wide.addEventListener('change', () => {
    isDrawn = false;
    showPanel();
  });

  return { take, miss };
}
