/** Prints the trees of the texts in a file: `node markdown-trees.js texts.json`. */

import { readFileSync } from 'node:fs';

import { markdown } from '../../Web/markdown.js';

const texts = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(JSON.stringify(texts.map(markdown)));
