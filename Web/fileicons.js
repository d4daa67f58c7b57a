/** The icons of files. */

import { iconOf } from './files.js';

const SVG = 'http://www.w3.org/2000/svg';
const SHEET = 'M5.500 2.500h6l3.500 3.500v11.500h-9.500zM11.500 2.500v3.500h3.500';
const SHAPES = {
  picture: 'M3.500 4.500h13v11h-13zM3.500 13l4-4 5 5M11 12.500l2-2 3.500 3.500M12.500 7.500h.01',
  video: 'M3.500 5.500h13v9h-13zM8.500 8v4l3.500-2z',
  audio: 'M8 14V5l7-1.500V12M8 14a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM15 12.500a2 2 0 1 1-4 0 2 2 0 0 1 4 0z',
  archive: `${SHEET}M8 4h.01M9.500 6h.01M8 8h.01M9.500 10h.01M8 12h2v2.500H8z`,
  text: `${SHEET}M8 9.500h4.500M8 12h4.500M8 14.500h3`,
  other: SHEET,
  download: 'M10 3.500v9M6.500 9l3.500 3.500L13.500 9M4 16.500h12',
};

function icon(shape) {
  const drawing = document.createElementNS(SVG, 'svg');
  drawing.setAttribute('viewBox', '0 0 20 20');
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[shape]);
  drawing.append(path);
  return drawing;
}

/** Returns the icon of a file with a type. */
export const fileIcon = (media) => icon(iconOf(media));

export const downloadIcon = () => icon('download');
