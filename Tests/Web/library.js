import { runAll } from './checks.js';
import './library-replica.js';
import './library-client.js';
import './library-handles.js';
import './library-kept.js';
import './library-rooms.js';
import './library-pins.js';
import './library-polls.js';
import './library-pinorder.js';
import './library-range.js';
import './library-emojis.js';
import './library-drafts.js';
import './library-files.js';
import './library-links.js';
import './library-markdown.js';
import './library-marking.js';
import './library-vectors.js';

export const results = await runAll();
