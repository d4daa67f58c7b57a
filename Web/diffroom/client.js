/** A chat server, from one user's side. */

import { noChanges } from './changes.js';
import { commandsOf, draftsOf } from './commands.js';
import { browser } from './environment.js';
import { filesOf } from './files.js';
import { listOf } from './identifiers.js';
import { outbox } from './outbox.js';
import { reconnecting } from './reconnecting.js';
import { listsOf, sharedList } from './sharedlist.js';
import { profiles, signals } from './signals.js';
import { writing } from './writer.js';

/** A chat server, from one user's side. */
export class Diffroom {
  state;
  /** The time until the last hello or ping was answered. */
  latency;
  /** The server's `welcome`. */
  welcome;
  /** The number of times that a list was fetched anew because its rows were wrong. */
  resyncs = 0;

  constructor({ environment, ...options }) {
    const env = { ...browser, ...environment };
    options.user = options.user?.normalize(); // keyboards differ; names are compared byte by byte
    const received = (frame) => lists.get(frame.list ?? listOf({ frame }))?.handle(frame);
    const { link, control } = reconnecting(options, env, this, { welcomed, received, answered: () => commands.flush() });
    const commands = outbox({ env, client: this, link }, (entry) => entry.row && lists.get(listOf(entry))?.notify(noChanges('pending')));
    const { marks, signs } = signals(env, link);
    const people = profiles(this, link);
    const { files, transfers } = filesOf(env, link, options.url);
    const context = { env, client: this, link, commands, marks };
    const make = (name, kept) => sharedList(name, context, kept);
    const { lists, following } = listsOf(make, (name) => {
      marks.unmark(name);
      link.request({ type: 'unsubscribe', list: name });
    });
    const changing = commandsOf(this, options.user, context);
    const client = this;

    function welcomed(welcome) {
      client.welcome = welcome;
      marks.forget();
      people.repeat();
      for (const list of lists.values()) list.begin();
      commands.repeat();
      files.welcomed();
    }

    Object.assign(this, control, following, signs, transfers, draftsOf(link), changing, { discard: commands.discard, know: people.know, write: writing(changing) });
    control.connect();
  }
}
