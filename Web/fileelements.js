/** The elements of a message's files: pictures, videos and audio in place, everything else as a card. Their links come later: see FileLinks. */

import { element } from './elements.js';
import { downloadIcon, fileIcon } from './fileicons.js';
import { boxOf, nameOf, shownAs, sizeInWords } from './files.js';
import { drawPreview } from './mediafacts.js';

const FRAMED = new Set(['picture', 'video']);

/** Returns the list of the files of a message: those with a picture first. */
export function filesElement(files) {
  const [framed, others] = [true, false].map((isFramed) => files.filter(({ media }) => FRAMED.has(shownAs(media)) === isFramed));
  const items = [...framed, ...others].map((file) => itemOf(file, framed.length > 1));
  return element('ul', { className: 'files', ariaLabel: 'Files' }, ...items);
}

function itemOf(file, isOneOfSeveral) {
  const kind = shownAs(file.media);
  const content = { picture: pictureOf, video: videoOf, audio: audioOf, card: cardOf }[kind](file);
  const node = element('li', { dataset: { file: file.id, shown: kind } }, ...content);
  const frame = node.querySelector('.frame');
  if (frame) size(frame, boxOf(file, isOneOfSeveral));
  return node;
}

/** Gives a box its size before its picture is loaded, so that nothing below it moves later. */
function size(frame, { width, height }) {
  frame.style.width = `${width}px`;
  frame.style.aspectRatio = `${width} / ${height}`;
}

/** Returns the preview, which lies under the picture until that is loaded. */
function previewOf({ preview }) {
  if (!preview) return [];
  const canvas = element('canvas', { ariaHidden: 'true' });
  drawPreview(canvas, preview);
  return [canvas];
}

function pictureOf(file) {
  const button = element('button', { type: 'button', className: 'frame', ariaLabel: `Open ${nameOf(file)}`, title: nameOf(file), dataset: { act: 'view', of: file.id } });
  button.append(...previewOf(file));
  return [button];
}

function videoOf(file) {
  const player = element('video', { controls: true, preload: 'metadata', playsInline: true, ariaLabel: nameOf(file) });
  return [element('div', { className: 'frame' }, ...previewOf(file), player), captionOf(file)];
}

function audioOf(file) {
  return [captionOf(file), element('audio', { controls: true, preload: 'metadata', ariaLabel: nameOf(file) })];
}

const wordsOf = (file) => [element('bdi', {}, nameOf(file)), element('small', {}, sizeInWords(file.size))];

/** Returns the line with the name of a video or of audio, which saves it. */
const captionOf = (file) => link(file, 'caption', ...wordsOf(file), downloadIcon());

const cardOf = (file) => [link(file, 'card', element('span', { className: 'sign' }, fileIcon(file.media)), element('span', { className: 'words' }, ...wordsOf(file)), downloadIcon())];

/** Returns a link that saves the file. Before its address is known it has none, and is a link already. */
function link(file, className, ...children) {
  const made = element('a', { className, title: `Download ${nameOf(file)}`, ariaLabel: `Download ${nameOf(file)}, ${sizeInWords(file.size)}`, tabIndex: 0 }, ...children);
  made.setAttribute('role', 'link');
  return made;
}

/** Shows a file from its address. */
export function showFile(node, file, url) {
  node.querySelector('.trouble')?.remove();
  for (const link of node.querySelectorAll('a')) Object.assign(link, { href: downloadOf(url), download: nameOf(file) });
  const player = node.querySelector('video, audio');
  if (player) play(player, url);
  const frame = node.querySelector('button.frame');
  if (!frame) return;
  const picture = element('img', { alt: nameOf(file), decoding: 'async', src: url });
  picture.addEventListener('load', () => frame.querySelector('canvas')?.remove());
  frame.querySelector('img')?.remove();
  frame.append(picture);
}

/** Plays a file from an address; after an earlier one has expired, from where it stopped. */
function play(player, url) {
  const { currentTime } = player;
  player.src = url;
  if (currentTime) player.currentTime = currentTime;
}

/** Returns the address at which a browser saves a file. */
export const downloadOf = (url) => `${url}?download`;

/** Shows a file that this browser cannot show as one that it can save. */
export function showAsCard(node, file) {
  node.dataset.shown = 'card';
  node.replaceChildren(...cardOf(file));
}

/** Shows that a file is gone. */
export function showGone(node, file) {
  node.dataset.shown = 'gone';
  node.replaceChildren(element('p', { className: 'gone', title: nameOf(file) }, 'This file was deleted'));
}

/** Shows why a file cannot be loaded now. */
export function showTrouble(node, text) {
  for (const old of node.querySelectorAll('.trouble, img')) old.remove();
  const again = element('button', { type: 'button', dataset: { act: 'load', of: node.dataset.file } }, 'Try again');
  node.append(element('p', { className: 'trouble' }, `${text} `, again));
}
