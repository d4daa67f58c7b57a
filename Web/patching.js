/** Changes of elements that leave alone what is equal: a selection in it stays, and so do the focus and a pressed button. */

/**
 * Changes the children of an element to those of another one. Text that has grown gets its end only.
 *
 * @param {Element} parent
 * @param {Element} wanted which loses the children that are used
 */
export function patch(parent, wanted) {
  const nodes = [...wanted.childNodes];
  nodes.forEach((node, index) => {
    const old = parent.childNodes[index];
    if (!old) parent.append(node);
    else if (!old.isEqualNode(node)) change(old, node);
  });
  while (parent.childNodes.length > nodes.length) parent.lastChild.remove();
}

function change(old, node) {
  if (old instanceof Text && node instanceof Text) amend(old, node.data);
  else if (isAlike(old, node)) patch(old, node);
  else old.replaceWith(node);
}

/** Replaces the end of a text that differs. */
function amend(text, data) {
  let same = 0;
  while (same < text.length && text.data[same] === data[same]) same++;
  text.replaceData(same, text.length - same, data.slice(same));
}

/** Returns whether two elements differ in their children only. Code that is coloured later is another one each time. */
const isAlike = (old, node) => old instanceof Element && old.cloneNode().isEqualNode(node.cloneNode()) && !old.matches('[data-language]');

/**
 * Gives an element these children, in their order. Those that it has already stay in the document.
 *
 * @param {Element} parent
 * @param {Element[]} children of which those that the element has are in their present order
 */
export function arrange(parent, children) {
  for (const child of Array.from(parent.children)) if (!children.includes(child)) child.remove();
  children.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}
