/** The list of the keyboard shortcuts, which `?` and Ctrl-/ show. */

import { $, element } from './elements.js';

const MAC = /Mac|iP/.test(navigator.platform);
const CTRL = MAC ? '⌘' : 'Ctrl';

/** For each part of the page its keys, with a space between those that are pressed, and what they do. */
const KEYS = {
  'Everywhere': [
    [`${CTRL} K`, 'Find a room, or an action by its name'],
    [`${CTRL} /`, 'Show these keys'],
    ['Alt ↑ ↓', 'Go to the room above or below'],
    ['Alt Shift ↑ ↓', 'Go to the next room with something unread'],
    ['Escape', 'Close a dialog, a menu, a thread or a list at the side'],
  ],
  'Message field': [
    ['Enter', 'Send the message'],
    ['Shift Enter', 'Begin a line'],
    [`${CTRL} B`, 'Make what is selected strong, or plain again'],
    [`${CTRL} I`, 'Emphasis'],
    [`${CTRL} E`, 'Code'],
    [`${CTRL} Shift X`, 'Struck-out text'],
    ['↑', 'Select messages, if the field is empty'],
    ['@', 'Mention a person: ↑ and ↓ choose, Enter or Tab takes the name'],
    [':', 'Complete the name of an emoji: two letters, then as for a person'],
    ['Escape', 'Give up a reply or an edit'],
  ],
  'Selected messages': [
    ['↑ ↓ Home End', 'Go from message to message'],
    ['R', 'Reply'],
    ['T', 'Reply in thread'],
    ['E', 'Edit'],
    ['D', 'Delete'],
    ['+', 'React'],
    ['U', 'Mark unread from here'],
    ['?', 'Show these keys'],
    ['Escape', 'Go back to the message field'],
  ],
  'Pinned messages': [
    ['↑ ↓ Home End', 'Go from message to message'],
    ['Alt ↑ ↓', 'Move the message, as a moderator'],
  ],
  'Threads that you follow': [
    ['↑ ↓ Home End', 'Go from thread to thread'],
    ['Shift F10', 'Open the menu of the thread'],
  ],
  'Scheduled messages and reminders': [
    ['↑ ↓ Home End', 'Go from row to row'],
    ['← →', 'Go to what can be done with the row'],
  ],
  'List of rooms': [
    ['↑ ↓ Home End', 'Go from room to room'],
    ['Shift F10', 'Open the menu of the room'],
    ['Alt Shift ↑ ↓', 'Move a pinned room, or pin another one'],
  ],
};

export class Shortcuts {
  constructor() {
    $('show-keys').addEventListener('click', () => this.show());
    $('shortcuts-close').addEventListener('click', () => $('shortcuts').close());
    addEventListener('keydown', (event) => this.#pressed(event));
  }

  show() {
    $('menu').hidePopover();
    if (!$('shortcuts-list').firstChild) $('shortcuts-list').append(...Object.entries(KEYS).flatMap(([part, keys]) => partOf(part, keys)));
    if (!$('shortcuts').open) $('shortcuts').showModal();
  }

  #pressed(event) {
    if (event.altKey || event.isComposing || !isAsked(event)) return;
    if ($('shortcuts').open) $('shortcuts').close();
    else if (document.querySelector('dialog[open]')) return;
    else this.show();
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Returns whether a key asks for the list. A question mark is text where letters are. */
function isAsked({ key, code, ctrlKey, metaKey, target }) {
  if (ctrlKey || metaKey) return key === '/' || key === '?' || (code === 'Slash' && key !== '-');
  return key === '?' && !target.closest?.('input, textarea, select, .scroller:not([data-selecting])');
}

function partOf(part, keys) {
  const lines = keys.map(([pressed, does]) => [
    element('dt', {}, ...pressed.split(' ').map((key) => element('kbd', {}, key))),
    element('dd', {}, does),
  ]);
  return [element('h3', {}, part), element('dl', {}, ...lines.flat())];
}
