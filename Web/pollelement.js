/** The element of a poll. */

import { element } from './elements.js';
import { keycap } from './polls.js';

/** Returns the element of a poll, in which each option is a button that votes for it or takes the vote back. */
export function pollElement({ question, options }, { reactions = [], sort }, me) {
  const voters = options.map((_, index) => reactions.find(({ emoji }) => emoji === keycap(index))?.users ?? []);
  const most = Math.max(1, ...voters.map(({ length }) => length));
  const buttons = options.map((option, index) => {
    const { length: votes } = voters[index];
    const isMine = voters[index].includes(me);
    const words = `${option}, ${votes} ${votes === 1 ? 'vote' : 'votes'}${isMine ? ', with yours' : ''}`;
    const button = element('button', { type: 'button', ariaLabel: words, ariaPressed: String(isMine), disabled: sort === undefined, dataset: { act: 'chip', emoji: keycap(index) } });
    button.append(element('bdi', {}, option), element('span', { className: 'votes' }, String(votes)), element('progress', { max: most, value: votes, ariaHidden: 'true' }));
    return button;
  });
  return element('div', { className: 'poll', role: 'group', ariaLabel: `Poll: ${question}` }, element('p', { dir: 'auto' }, question), ...buttons);
}
