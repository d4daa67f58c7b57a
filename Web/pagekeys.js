/** The keys that lead to other rooms from anywhere in the page, and the button that finds one. */

import { $, keyOf } from './elements.js';

const STEPS = { ArrowUp: -1, ArrowDown: 1 };

/** @param page the `switcher`; `rooms`, the list beside the conversation; and `onOpen(room)` */
export function listenForRoomKeys({ switcher, rooms, onOpen }) {
  $('find').addEventListener('click', () => switcher.toggle());
  if (/Mac|iP/.test(navigator.platform)) $('find').querySelector('kbd').textContent = '⌘K';
  addEventListener('keydown', (event) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    const isSwitch = keyOf(event) === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
    const by = altKey && !ctrlKey && !metaKey && STEPS[key];
    if ((!isSwitch && !by) || document.querySelector('dialog[open]:not(#switcher)')) return;
    event.preventDefault();
    if (isSwitch) return switcher.toggle();
    const room = rooms.beside(by, shiftKey);
    if (room) onOpen(room);
  });
}
