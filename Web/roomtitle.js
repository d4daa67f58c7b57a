/** The label of the room that is shown, and its topic: in the bar at the top, and whole in the menu below it. */

import { $ } from './elements.js';
import { hasText, labelOf, nameOf } from './labels.js';

/** Shows the label of a room, and its topic. */
export function showTitle(room, topic = '') {
  const [sign, called] = nameOf(room).childNodes;
  if (!$('room-sign').firstChild?.isEqualNode(sign)) $('room-sign').replaceChildren(sign); // or its picture flickers
  if ($('room-name').textContent !== called.textContent) $('room-name').replaceChildren(...called.childNodes);
  $('whole-name').textContent = labelOf(room);
  for (const id of ['topic', 'whole-topic']) {
    $(id).textContent = topic;
    $(id).hidden = !hasText(topic);
  }
}
