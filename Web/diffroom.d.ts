/** Diffroom's client library: rooms as live lists, over one WebSocket. */

/** A row of a list. Rows are never changed in place: a changed row is another object. */
export interface Row {
  readonly id: string;
  readonly section: string;
  /** Unique in the list: rows stand by (section, sort). */
  readonly sort: number;
  /** The revision that last touched the row. */
  readonly rev: number;
}

/** A row of `room/NAME/messages`; its section is `history` or `socket`. */
export interface Message extends Row {
  readonly author: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time: number;
  readonly text: string;
  /** When the text was last replaced. */
  readonly edited?: number;
  /** The id of the message that it answers, which may be gone. */
  readonly replyTo?: string;
  readonly reactions?: readonly { readonly emoji: string; readonly users: readonly string[] }[];
}

/** A row of `room/NAME/members`; its `id` is the user's name, its section `online` or `offline`. */
export interface Member extends Row {
  readonly typing?: boolean;
  /** The revision of the room's messages up to which they have read; missing if that is not known. */
  readonly read?: number;
}

/** A message that is said but not in the list yet. */
export interface PendingMessage {
  /** The id that its row in the list will have. */
  readonly id: string;
  readonly author: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly time: number;
  readonly text: string;
  readonly replyTo?: string;
  /** Why the server refused it; without, it is on its way. See `Diffroom.discard`. */
  readonly error?: ErrorName;
  readonly message?: string;
}

export type ErrorName =
  | 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'too_large' | 'rate_limited' | 'unavailable' | 'internal';

/** A list as it is held: a value that never changes. While nothing changes, `List.snapshot()` returns the same object. */
export interface Snapshot<R extends Row = Message> {
  readonly list: string;
  readonly epoch: string | undefined;
  readonly revision: number | undefined;
  /** The revision at which this reader joined: later rows stand in `socket`. */
  readonly joined: number | undefined;
  /** In the list's order, `rows` ascending by `sort`. */
  readonly sections: readonly { readonly id: string; readonly rows: readonly R[] }[];
  /** Whether the list has rows before these. */
  readonly more: boolean;
  /** How many rows the whole list has. */
  readonly count: number;
  /** Of members: how many there are in each section, those without a row too. */
  readonly counts?: { readonly online: number; readonly offline: number };
  readonly pending: readonly PendingMessage[];
}

/** What one change did. A row can be both moved and reloaded. */
export interface Changes<R extends Row = Message> {
  readonly why: 'snapshot' | 'diff' | 'page' | 'trim' | 'pending';
  readonly deleted: readonly string[];
  readonly inserted: readonly R[];
  readonly moved: readonly R[];
  /** Their content was replaced. */
  readonly reloaded: readonly R[];
  /** Only light fields changed: a reaction, typing, a read mark. */
  readonly reconfigured: readonly R[];
}

/** The server has ended the subscription. It does not come back by itself: `List.rejoin()` if the person wants to. */
export interface Ended {
  readonly type: 'ended';
  readonly why: 'kicked' | 'banned' | 'forbidden';
  readonly message: string;
  readonly error?: undefined;
}

export interface Standing {
  readonly room: string;
  readonly role: 'none' | 'read' | 'write' | 'moderate' | 'own';
  /** When the mute ends, in milliseconds since 1970; no more than that it was, when it has passed. */
  readonly mutedUntil?: number;
  /** The least milliseconds between two messages of one user. */
  readonly slow?: number;
  readonly readOnly?: boolean;
}

export interface SubscribeOptions<R extends Row = Message> {
  /** How many rows to begin with: 32 to 500; 50 unless told. */
  limit?: number;
  onChange?(change: { snapshot: Snapshot<R>; changes: Changes<R> }): void;
  /** The list cannot be had, or not any longer; or `diverged`: what was held was wrong, and is being asked for anew. */
  onError?(error: { error: ErrorName | 'diverged'; message: string } | Ended): void;
  /** What the user may do in the room, when that is not the usual, and when it changes. */
  onStanding?(standing: Standing): void;
}

export interface List<R extends Row = Message> {
  /** The same object until something changes, and another one then; needs no `this`. */
  snapshot: () => Snapshot<R>;
  get(id: string): R | undefined;
  /** The rows of a row's section and its index in them, or where it would stand. O(log rows). */
  placeOf(row: Row): [rows: readonly R[], index: number];
  /** Asks for rows before those held. They come by `onChange`; resolves to whether any came. */
  older(limit?: number): Promise<boolean>;
  /** Lets go of the oldest rows but `keep`. A list that is never trimmed grows as long as people talk. */
  trim(keep: number): void;
  /** Subscribes again, from where the list stood when the server ended it or refused it. */
  rejoin(): void;
}

/**
 * `connecting` → `online` → `waiting` for the next try → `connecting` …; `stopped` after `close()`, a refused hello or a
 * close code from 4500 to 4999.
 */
export interface State {
  state: 'connecting' | 'online' | 'waiting' | 'stopped';
  /** Failed tries in a row. */
  tries: number;
  /** When `waiting`: how long, in milliseconds. */
  delay?: number;
  /** Why the last connection ended. */
  code?: number;
  reason?: string;
  error?: ErrorName;
  /** When `online`. */
  welcome?: Welcome;
}

export interface Welcome {
  user: string;
  server: string;
  /** Milliseconds. */
  heartbeat: number;
  /** Maxima, by name. */
  limits: Record<string, number>;
  /** The parameter of the URL that takes the room which a connection is mostly for, if servers are told apart by it. */
  route?: string;
}

export interface Options {
  /** `ws:` or `wss:`. */
  url: string;
  /** A name that nothing proves, in any Unicode normal form; or a `token`. */
  user?: string;
  /** A function is asked for a token for each connection, and when the server says that the one it has ends soon. */
  token?: string | (() => Promise<string>);
  onState?(state: State): void;
  /** For tests and for places without a browser: what the client takes from where it runs. Node before 22 needs a `WebSocket`. */
  environment?: {
    WebSocket?: unknown;
    /** Milliseconds, never going back. */
    now?(): number;
    /** From 0 up to, not including, 1. */
    random?(): number;
    after?(delay: number, action: () => void): unknown;
    cancel?(timer: unknown): void;
  };
}

/** Where a command's effect is to be seen. */
export interface Effect {
  id: string;
  list: string;
  revision: number;
}

/**
 * One user's connection to a server, kept up until `close()`.
 *
 * Commands outlive connections: each is said again with the same id until it is answered, and carried out once. Their
 * promises reject with an `Error` that has the server's `error` name. A text over `limits.text`, and whatever ends the
 * connection with 1003, 1007 or 1009, is `too_large` and not said again.
 */
export class Diffroom {
  constructor(options: Options);
  readonly state: State['state'];
  readonly welcome: Welcome | undefined;
  /** How often a list had to be asked for anew because what was held could not be right. */
  readonly resyncs: number;
  /** How long the last hello or ping took to be answered, in milliseconds. */
  readonly latency: number | undefined;
  connect(): void;
  /** Tries now, but for a short jitter, instead of when the wait is over; when online, pings. */
  hurry(): void;
  close(): void;
  subscribe<R extends Row = Message>(list: string, options?: SubscribeOptions<R>): List<R>;
  unsubscribe(list: string): void;
  /**
   * Stands in the snapshot's `pending` until its row arrives. With the `id` of an earlier page's pending message, it is
   * that message, and carried out once.
   */
  send(room: string, text: string, replyTo?: string, id?: string): Promise<Effect>;
  edit(room: string, id: string, text: string): Promise<Effect>;
  delete(room: string, id: string): Promise<Effect>;
  react(room: string, id: string, emoji: string, on: boolean): Promise<Effect>;
  /**
   * Shows the others of a room that is subscribed to that you write. To be called with each key: it is said every few
   * seconds, and ends by itself soon after the last call, or with a message.
   */
  typing(room: string, on: boolean): void;
  /**
   * Shows the others up to which revision of the room's messages you have read. It only grows, and is said again on each
   * connection; once a second is often enough.
   */
  read(room: string, revision: number): void;
  /** Forgets a pending message that the server refused. */
  discard(id: string): void;
}

type Frame = { type: 'snapshot' | 'diff' | 'page'; [field: string]: unknown };

/**
 * One list as a reader holds it, without a connection: for other transports, and for replaying docs/protocol/vectors.
 *
 * `resume` means: subscribe again, saying `resume()`; `restart`: subscribe again without, for what is held is wrong;
 * `again`: ask for the page again. `why` is the outcome's name in docs/protocol.md.
 */
export interface Replica<R extends Row = Message> {
  readonly state: Omit<Snapshot<R>, 'pending'>;
  apply(frame: Frame):
    | { verdict: 'applied'; changes: Changes<R> }
    | { verdict: 'ignored' | 'resume' | 'restart' | 'again'; why: string };
  resume(): { epoch: string; revision: number; joined: number } | undefined;
  get(id: string): R | undefined;
  placeOf(row: Row): [rows: readonly R[], index: number];
  /** The `before` of a page that goes in front of what is held now. To be called before each request. */
  expectPage(): number;
  trim(keep: number): Changes<R> | undefined;
}

export function replica<R extends Row = Message>(list: string): Replica<R>;

/** A random UUID (version 4), also on pages that came over plain HTTP. */
export function uuid(): string;
