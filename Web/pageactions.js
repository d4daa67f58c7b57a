/** The actions that *Find or open a room* offers by their names, beside rooms. */

import { $ } from './elements.js';
import { labelOf } from './labels.js';

/** The buttons of the page that act, and the names of those that show none. */
const BUTTONS = {
  'new-room': 'New room',
  'mentions-button': 'Show mentions of me',
  'threads-button': 'Show the threads that I follow',
  'later-button': 'Show scheduled messages and reminders',
  schedule: 'Send this message later',
  'thread-schedule': 'Send this reply later',
  'read-all': 'Mark all rooms as read',
  'pins-button': 'Show the pinned messages',
  'people-button': 'Show or hide the people',
  notify: '',
  invite: '',
  entitle: '',
  moderate: '',
  'show-keys': '',
  'show-display': '',
  'show-blocked': 'Show the users whom I have blocked',
  me: 'Change user, or sign out',
};

/**
 * Returns what can be done now, as `{label, run}`.
 *
 * @param room the row of the room that is shown, if there is one; `roomMenu` has the actions on it
 */
export function pageActions(room, roomMenu) {
  const buttons = Object.entries(BUTTONS).filter(([id]) => !$(id).hidden && !$(id).disabled && getComputedStyle($(id)).display !== 'none');
  const pressing = buttons.map(([id, label]) => ({ label: label || $(id).textContent, run: () => $(id).click() }));
  const settings = roomMenu.choicesOf(room?.id).map(([act, label]) => ({ label: `${label}: ${labelOf(room)}`, run: () => roomMenu.act(act, room.id) }));
  const day = { label: 'Go to a day in this room', run: goToDay };
  return room ? [...pressing, day, ...settings] : pressing;
}

/** Goes to the day that the user chooses. `page` has `view()`, the messages that are shown, and `hint(text)`. */
export function listenForDay({ view, hint }) {
  $('day-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    $('menu').hidePopover();
    const time = new Date(`${$('day-input').value}T00:00`).getTime();
    if (!(await view().goTo({ time: Math.max(time, 0) }))) hint('That day cannot be shown now.');
  });
}

function goToDay() {
  $('menu').showPopover();
  $('day-input').focus();
}
