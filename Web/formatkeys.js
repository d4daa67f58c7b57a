/** The keys of the message field that put marks around what is selected, or take them away. */

import { keyOf } from './elements.js';
import { remarked } from './marking.js';

const MARKS = { b: '**', i: '*', e: '`', X: '~~' };

/** @param {HTMLTextAreaElement} field */
export function formatByKeys(field) {
  field.addEventListener('keydown', (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
    if (ctrlKey === metaKey || altKey || isComposing || field.readOnly) return;
    const mark = MARKS[shiftKey ? keyOf(event).toUpperCase() : keyOf(event)];
    if (!mark) return;
    event.preventDefault();
    event.stopPropagation();
    change(field, remarked(field.value, field.selectionStart, field.selectionEnd, mark));
  });
}

/** Changes the text as typing does, so that the browser can undo it. */
function change(field, { start, end, text, select }) {
  field.setSelectionRange(start, end);
  if (!document.execCommand('insertText', false, text)) {
    field.setRangeText(text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  field.setSelectionRange(...select);
}
