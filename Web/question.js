/** The question before something is done that cannot be taken back. */

import { $ } from './elements.js';

const dialog = $('question');
/** @type {(isYes: boolean) => void} */
let answer = () => {};

$('question-form').addEventListener('submit', (event) => {
  event.preventDefault();
  dialog.close();
  answer(true);
});
$('question-no').addEventListener('click', () => {
  dialog.close();
  answer(false);
});
// Escape closes it, too. The event may come when the next question is already open.
dialog.addEventListener('close', () => dialog.open || answer(false));

/** Asks, with the harmless answer in focus. Resolves to whether the answer is yes. */
export function ask({ title, text, no, yes }) {
  $('question-title').textContent = title;
  $('question-text').textContent = text;
  $('question-no').textContent = no;
  $('question-yes').textContent = yes;
  dialog.showModal();
  $('question-no').focus();
  return new Promise((resolve) => (answer = resolve));
}
