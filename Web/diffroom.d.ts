/** Diffroom's client library: rooms as live lists, over one WebSocket. */

/** A row of a list. Rows are never changed in place: a changed row is another object. */
export interface Row {
  readonly id: string;
  readonly section: string;
  /** Unique in the list; rows are ordered by (section, sort). */
  readonly sort: number;
  /** The revision that last touched the row. */
  readonly rev: number;
  /** Of pinned messages, `me/rooms`, `me/threads`, `me/mentions`, `me/people`, `me/drafts`, `me/later` and `me/blocked`: stands for the row's place and content, whatever server it is from. */
  readonly tag?: string;
}

/** What an application adds to a message: an object for JSON, of at most `limits.data` bytes. An empty one stands for none. */
export type Data = Readonly<Record<string, unknown>>;

/** A file of a message. `Diffroom.links` has its address. */
export interface MessageFile {
  readonly id: string;
  /** One line without slashes, of at most 255 bytes. */
  readonly name: string;
  /** Its type, such as `image/png`, as the sender claims. */
  readonly media: string;
  /** Bytes. */
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Of a picture or video, in pixels, as the sender claims. */
  readonly width?: number;
  readonly height?: number;
  /** Of a video or of audio, in milliseconds, as the sender claims. */
  readonly duration?: number;
  /** A tiny picture, such as a JPEG of 24 pixels' width, in base64: at most 2,048 bytes. */
  readonly preview?: string;
}

/** A file that was uploaded for a message: what `send` takes. */
export interface UploadedFile extends MessageFile {
  /** Shows the server that it has the file. */
  readonly proof: string;
}

/** A row of `room/NAME/messages`; its section is `history` or `socket`. */
export interface Message extends Row {
  /** Of a damaged message missing unless the server knows it, and so is `time`. */
  readonly author?: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time?: number;
  /** Missing if it is damaged: `textOf` has a text for people. */
  readonly text?: string;
  /** Whether the server's copy is damaged. */
  readonly damaged?: true;
  /** The time at which the text was last replaced. */
  readonly edited?: number;
  /** True while the text still grows: each change of it counts as a reload. */
  readonly open?: true;
  /** True if its author did not look at the room, as of a scheduled message. */
  readonly away?: true;
  /** Why the text ended before it was complete; missing if it is complete or still grows. */
  readonly ended?: 'stopped' | 'failed' | 'interrupted';
  /** The id of the message that it answers, which may be gone. */
  readonly replyTo?: string;
  /** The names of those whom it calls, in the sender's order. */
  readonly mentions?: readonly string[];
  /** True for a message that mentions everybody in the room. */
  readonly everyone?: boolean;
  /** What an application has added. By convention `kind` names the type; show `text` for one that you do not know. */
  readonly data?: Data;
  /** In the sender's order; missing if there are none. An edit keeps them. */
  readonly files?: readonly MessageFile[];
  readonly reactions?: readonly { readonly emoji: string; readonly users: readonly string[] }[];
  /** The replies in its thread; missing if there are none. It may be a second behind the thread. */
  readonly thread?: Thread;
}

/** The replies to a message, which are the messages of the room `threadName(room, id)`. */
export interface Thread {
  readonly count: number;
  /** The time of the last reply, in milliseconds since 1970. */
  readonly time: number;
  /** The authors of the last replies, at most three. The author of the newest reply comes first. */
  readonly people: readonly string[];
}

/** A pinned message: a row of `room/NAME/pins`, in the order that the moderators gave them. Its `id` is the message's. */
export interface Pin extends Omit<Message, 'reactions' | 'thread' | 'open' | 'ended'> {}

/** A row of `room/NAME/members`; its `id` is the user's name, its section `online`, `offline` or `invited`. */
export interface Member extends Row {
  readonly typing?: boolean;
  /** The revision of the room's messages up to which they have read; missing if it is unknown. */
  readonly read?: number;
  /** The time in milliseconds when they became a member; missing for guests and invited people. */
  readonly since?: number;
  /** The role to which they were appointed in the room; missing for none. */
  readonly role?: 'read' | 'write' | 'moderate' | 'own';
  /** The name of the person who invited them, while they are only invited; missing if the server does not know. */
  readonly by?: string;
}

/** A page of a room's members. */
export interface MembersPage {
  /** In the order of their names' bytes, each with the section that it has in the list, or would have. No diff changes them. */
  readonly rows: readonly Member[];
  /** The name after which the next page begins; missing at the end. */
  readonly after?: string;
}

/**
 * A row of `me/rooms`; its `id` is the room's name. Its section is `invited`, until the user joins the room or leaves it;
 * of those that the user is a member of `pinned`, where `sort` is the place that they gave it, `archived`, or `rooms`.
 */
export interface Room extends Row {
  /** Of an invitation the name of the person who invited the user; missing if the server does not know. */
  readonly by?: string;
  /** Missing for a room without one. */
  readonly title?: string;
  /** The https URL of the room's picture. Loading it tells its host the user's address. */
  readonly picture?: string;
  /** Of a direct room the others, by their names' bytes. Missing for other rooms. */
  readonly people?: readonly string[];
  /** The number of messages above `read`, exactly. */
  readonly unread: number;
  /** The number of those that mention the user, exactly, without the user's own. */
  readonly mentions: number;
  /** Whether the user wants no news of the room but mentions. */
  readonly muted?: true;
  /** Whether the user has marked the room as unread, and has not read it since. */
  readonly marked?: true;
  /** The revision of the room's messages up to which the user has read, the same on all devices. */
  readonly read: number;
  /** What was said last; missing if there is no message. Of its text the first 200 bytes. */
  readonly last?: { readonly id: string; readonly author?: string; readonly time?: number; readonly text?: string; readonly damaged?: true };
  /** Whether another person is writing in the room. */
  readonly typing?: true;
  /** Of a direct room whether another person has it open. */
  readonly here?: true;
}

/**
 * A thread that the user follows: a row of `me/threads`. Its `id` is the thread's name, `title`, `picture` and `people` are those of its
 * room, and its section is `pinned`, `archived` or `rooms`.
 */
export interface FollowedThread extends Omit<Room, 'by'> {
  /** The message that the thread answers; missing if it was deleted. Of its text the first 200 bytes. */
  readonly root?: Room['last'];
}

/**
 * A row of `me/mentions`: one of the newest messages that mention the user, in the rooms that they are a member of, or an
 * older one that was asked for. Its `id` is the room's name, a slash and the message's id.
 */
export interface Mention extends Row {
  readonly room: string;
  /** The message's id. */
  readonly message: string;
  readonly author: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time: number;
  /** The first 200 bytes. */
  readonly text: string;
  /** Whether the user has read it. */
  readonly read: boolean;
}

/** A person with a profile: a row of `me/people`, which has those whom `know` was called with. */
export interface Person extends Row {
  /** What the person is called. Others may be called the same: only the id tells who it is. */
  readonly name?: string;
  /** The https URL of their picture. Loading it tells its host the reader's address. */
  readonly picture?: string;
}

/** What the user has written in a room and not sent. It has no files. */
export interface DraftContent {
  /** At most `limits.text` bytes, of which something can be seen. */
  readonly text: string;
  readonly replyTo?: string;
  readonly mentions?: readonly string[];
  readonly everyone?: boolean;
  readonly data?: Data;
}

/** A draft of the user: a row of `me/drafts`. Its `id` is the room's name; the draft that was changed last is at the end. */
export interface Draft extends Row, DraftContent {
  /** When the server stored it: milliseconds since 1970, by the server's clock. */
  readonly time: number;
}

/** A message to be sent at a time. It has no files. */
export interface ScheduledMessage extends DraftContent {
  /** A room, or a thread. */
  readonly room: string;
  /** When the server sends it: milliseconds since 1970, by the server's clock (`welcome.time`). At most 366 days ahead. */
  readonly at: number;
}

/** A reminder of a message. */
export interface Reminder {
  readonly room: string;
  /** When it is due: milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The message's id: `Diffroom.fetch` shows it. */
  readonly message: string;
}

/**
 * A row of `me/later`: a message that the user has scheduled, whose `id` is that of the message to come, or a reminder. Its section is `due`, for
 * reminders whose time has come and messages that the server could not send, or `waiting`, with the soonest first.
 */
export interface Later extends Row, Partial<DraftContent> {
  readonly room: string;
  readonly at: number;
  /** Of a reminder; missing if the row is a message to be sent. */
  readonly message?: string;
  /** Why the server could not send the message; missing if it is not due, or a reminder. */
  readonly refused?: { readonly error: ErrorName; readonly reason?: ErrorReason; readonly message: string };
}

/** A row of `me/blocked`: a user whom the user has blocked. Its `id` is the user's name. */
export interface Blocked extends Row {
  /** When the user was blocked: milliseconds since 1970, by the server's clock. */
  readonly time: number;
}

/** A message that was sent and is not in the list yet. */
export interface PendingMessage {
  /** The id that its row in the list will have. */
  readonly id: string;
  readonly author: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly time: number;
  readonly text: string;
  readonly replyTo?: string;
  readonly mentions?: readonly string[];
  /** True for a message that mentions everybody in the room. */
  readonly everyone?: boolean;
  readonly files?: readonly UploadedFile[];
  /** True for a message that is written piece by piece. */
  readonly open?: boolean;
  /** The reason why the server refused it; missing while it is on its way. See `Diffroom.discard`. */
  readonly error?: ErrorName;
  /** Missing if the server tells none. One of a later server may be none of these. */
  readonly reason?: ErrorReason;
  /** The field that is at fault. */
  readonly field?: string;
  readonly message?: string;
}

export type ErrorName =
  | 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'too_large' | 'rate_limited' | 'unavailable' | 'internal';

/** The fault that the server found, as docs/protocol-reference.md lists them: each belongs to one `ErrorName`. */
export type ErrorReason =
  | 'syntax' | 'missing' | 'invalid' | 'unknown_field' | 'not_reached' | 'hello_twice' | 'not_paged' | 'open_room' |
  'direct_room' | 'yourself' | 'they_are_banned' | 'not_invited' | 'method' | 'content_type' | 'hello_first' |
  'token_missing' | 'token_invalid' | 'token_expired' | 'token_early' | 'no_keys' | 'role' | 'banned' | 'invited' |
  'muted' | 'read_only' | 'thread' | 'not_yours' | 'not_below' | 'everyone' | 'other_user' | 'no_message' | 'no_room' |
  'not_member' | 'not_subscribed' | 'no_resource' | 'not_pinned' | 'not_waiting' | 'id_used' | 'not_open' | 'other_size' | 'room_taken' | 'superseded' | 'unsubscribed' |
  'backup_running' | 'rebalance_running' | 'frame' | 'too_long' | 'too_many' | 'reactions' | 'subscriptions' | 'memberships' |
  'their_memberships' | 'members' | 'standings' | 'pins' | 'later' | 'blocked' | 'frames' | 'pages' | 'sends' | 'reacting' | 'moderating' | 'rooms' |
  'user_bytes' | 'room_bytes' | 'slow_mode' | 'pending' |
  'connections' | 'overloaded' | 'disk_slow' | 'disk_full' | 'not_writable' | 'store_down' | 'store_replaced' |
  'damaged' | 'upgrading' | 'overtaken' | 'no_files' | 'checksum' | 'link' | 'no_file' | 'offset' | 'user_files' | 'room_files';

/**
 * A part of a list that is not held, between rows that are: show it as a row of its own, and call `List.fill` when it
 * comes on the screen. While nothing about it changes it is the same object.
 */
export interface Gap {
  /** The same as long as it is there, also while it gets smaller. */
  readonly id: string;
  /** Where it stands: before the first row with this sort key or a larger one. `List.placeOf` takes a gap, too. */
  readonly section: string;
  readonly sort: number;
  /** The last sort key before it. */
  readonly after: number;
  /** The number of messages that are not loaded; missing if that is not known. */
  readonly count?: number;
}

/** A list as an immutable value. While nothing changes, `List.snapshot()` returns the same object. */
export interface Snapshot<R extends Row = Message> {
  readonly list: string;
  readonly epoch: string | undefined;
  readonly revision: number | undefined;
  /** The revision at which this reader joined: later rows stand in `socket`. */
  readonly joined: number | undefined;
  /** In the list's order, `rows` ascending by `sort`. */
  readonly sections: readonly { readonly id: string; readonly rows: readonly R[] }[];
  /** Whether the list has rows before these; of `me/mentions` whether there may be messages older than all of these. */
  readonly more: boolean;
  /**
   * Of `me/mentions`: the older messages that `List.older` has brought, ascending, as of when they were read. They stand
   * before the rows of the section.
   */
  readonly older?: readonly R[];
  /** What is not held between these rows, ascending. Empty unless the user was away for long, or went elsewhere. */
  readonly gaps: readonly Gap[];
  /** The sort keys whose rows are held, as `[from, to]`; the last range has no end (`Infinity`). */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** The number of rows in the whole list. */
  readonly count: number;
  /** For members, `me/rooms` and `me/threads`: the number in each section, including those without a row. */
  readonly counts?: { readonly [section: string]: number };
  /**
   * For `me/rooms`, `me/threads`, `me/mentions`, `me/people`, `me/drafts`, `me/later` and `me/blocked`: the server's databases that do not answer now, by their numbers from 1.
   * Their rows may be missing, and come by a diff. Absent for a whole list.
   */
  readonly missing?: { readonly databases: readonly number[] };
  readonly pending: readonly PendingMessage[];
}

/** The effect of one change. A row can be both moved and reloaded. */
export interface Changes<R extends Row = Message> {
  /** `held`: a handle begins with rows from before the connection was lost; `snapshot` or `diff` follows. */
  readonly why: 'snapshot' | 'diff' | 'page' | 'trim' | 'pending' | 'held';
  readonly deleted: readonly string[];
  readonly inserted: readonly R[];
  /** Rows at another place; their light fields may have changed, too. */
  readonly moved: readonly R[];
  /** Rows whose content was replaced. */
  readonly reloaded: readonly R[];
  /** Rows of which only light fields changed: a reaction, typing, a read mark, what is unread. */
  readonly reconfigured: readonly R[];
}

/** What a member changes about a room for themselves, on all devices. */
export interface Settings {
  /**
   * The room's place among the pinned ones, a whole number from 1 to 2⁵⁰, or `false`. Between two rooms it is a number
   * between their `sort`s; new ones come 2²⁰ after the last. If another room has it, it is the next one that is free.
   */
  readonly pinned?: number | false;
  readonly muted?: boolean;
  readonly archived?: boolean;
  /** Marked as unread, until it is read further: see `Diffroom.read`. A message's `sort` makes it and all behind it unread. */
  readonly marked?: boolean | number;
}

/** The server has ended the subscription. It is not renewed by itself; call `List.rejoin()` if the user wants to. */
export interface Ended {
  readonly type: 'ended';
  readonly why: 'kicked' | 'banned' | 'forbidden';
  readonly message: string;
  readonly error?: undefined;
}

export interface Standing {
  readonly room: string;
  readonly role: 'none' | 'read' | 'write' | 'moderate' | 'own';
  /** The rest of the mute, in milliseconds from when `onStanding` is called; missing for no mute. */
  readonly mutedFor?: number;
  /** The least time between two messages of one user, in milliseconds. */
  readonly slow?: number;
  readonly readOnly?: boolean;
  /** The room's title. */
  readonly title?: string;
  /** What the room is about. */
  readonly topic?: string;
  /** The https URL of the room's picture. Loading it tells its host the user's address. */
  readonly picture?: string;
}

/** What a moderator can do, with its fields; spans of time in milliseconds. An owner can `appoint` and `invite`. */
export interface Moderation {
  mute: { user: string; for: number };
  unmute: { user: string };
  kick: { user: string };
  ban: { user: string };
  unban: { user: string };
  slow: { for: number };
  readOnly: { on: boolean };
  /** In a private room, a role that is not `none` invites the user, and `none` puts the user out. */
  appoint: { user: string; role: Standing['role'] };
  /** Of a private room only: who has the role `write`, or a higher one, stays as they are. */
  invite: { user: string };
  /** At most 200 bytes; an empty one takes the title away. */
  title: { text: string };
  /** At most 1,000 bytes; an empty one takes the topic away. */
  topic: { text: string };
  /** An https URL of at most 1,000 bytes; an empty one takes the picture away. */
  picture: { url: string };
  /** Pins a message, or moves it beside another pinned one. Without a place it goes to the end, or stays if it is pinned. */
  pin: { message: string; before?: string; after?: string };
  unpin: { message: string };
}

/** What a moderator has done in a room: the action with its fields, or another that its moderators are told of. */
export type AuditEntry = { readonly revision: number; readonly time: number; readonly author: string } & (
  | { [A in keyof Moderation]: { readonly action: A } & Readonly<Moderation[A]> }[keyof Moderation]
  /** Deleted a message that `user` had written. */
  | { readonly action: 'delete'; readonly id: string; readonly user: string }
  /** Made the room. */
  | { readonly action: 'create'; readonly kind: 'private' | 'direct'; readonly title?: string; readonly people?: readonly string[] }
);

/** A message's place among those of all rooms, from which a search goes on to older ones. */
export interface SearchPlace {
  readonly time: number;
  readonly room: string;
  readonly sort: number;
}

/** A message that matches a query. `at` has the matches in its text: the first code point of each, and the one after its last. */
export interface SearchResult {
  readonly room: string;
  readonly row: Message;
  readonly at: readonly (readonly [number, number])[];
}

export interface SubscribeOptions<R extends Row = Message> {
  /**
   * The number of rows to begin with: 32 to 500; 50 by default. Of `me/rooms` and `me/threads` the number of rows of `rooms`
   * and of `archived`, each: 32 to `limits.memberships`.
   */
  limit?: number;
  /**
   * A snapshot that an earlier client had of the list: the list begins with its rows, whether or not there is a connection, and
   * asks only for what has changed since. Messages of one without `joined` are replaced by the server's.
   */
  kept?: Omit<Snapshot<R>, 'ranges' | 'gaps' | 'pending' | 'list' | 'joined'> & { readonly joined?: number };
  /** Returns the sort key of the row that the user looks at: what is near it is kept when the list is resumed. */
  at?(): number | undefined;
  onChange?(change: { snapshot: Snapshot<R>; changes: Changes<R> }): void;
  /** The list is not available, or no longer; or `diverged`: the held rows were wrong and are fetched anew. */
  onError?(error: { error: ErrorName | 'diverged'; reason?: ErrorReason; field?: string; message: string } | Ended): void;
  /** The user's rights in the room, when they are not the usual ones, and when they change. */
  onStanding?(standing: Standing): void;
}

/**
 * One subscriber's handle of a list. All handles of one list share its rows and one subscription; each gets every change from
 * the state that it saw last.
 */
export interface List<R extends Row = Message> {
  /** The same object until something changes, then another one; needs no `this`. */
  snapshot: () => Snapshot<R>;
  get(id: string): R | undefined;
  /** The rows of a row's section, and its index or its place in them. O(log rows). */
  placeOf(row: Pick<Row, 'section' | 'sort'>): [rows: readonly R[], index: number];
  /** Asks for rows before those held. They arrive by `onChange`, of `me/mentions` in `older`; resolves to whether any came. */
  older(limit?: number): Promise<boolean>;
  /** Asks for the last rows of a gap, `before` what is behind it, or for the first, `after` what is in front of it. */
  fill(gap: Gap, side?: 'before' | 'after', limit?: number): Promise<boolean>;
  /**
   * Asks for the rows around one that is not held. Resolves to that row: the message; the first one that was inserted
   * at the revision or said at the time, or later; the last one if none is so late. To nothing if it is not there.
   */
  goTo(place: { id: string } | { revision: number } | { time: number }, limit?: number): Promise<R | undefined>;
  /**
   * Fetches one message as it is now, such as one that another answers. It does not become a row of the list. Resolves to nothing if
   * it is gone; rejects if the server cannot be asked.
   */
  fetch(id: string): Promise<R | undefined>;
  /**
   * Drops all but the newest `keep` rows, except those that another handle of the list keeps: a handle keeps all rows until it
   * calls `trim`, and again after it asks for a page. A list that is never trimmed grows as long as people talk.
   */
  trim(keep: number): void;
  /**
   * Of `me/rooms` and `me/threads`: asks for so many more rows of `rooms` and of `archived`, each; `Infinity` for all. They arrive by
   * `onChange`. Does nothing while an answer of the list is awaited.
   */
  grow(by: number): void;
  /**
   * Follows the list again after `unsubscribe`, or after the server ended or refused it: `onChange` gets what has changed
   * since this handle's last change.
   */
  rejoin(): void;
  /** Ends this handle: `onChange` is not called again. The last handle of a list ends the subscription. */
  unsubscribe(): void;
}

/**
 * `connecting` → `online` → `waiting` for the next try → `connecting` …; `stopped` after `close()`, a refused hello or
 * a close code from 4500 to 4999.
 */
export interface State {
  state: 'connecting' | 'online' | 'waiting' | 'stopped';
  /** The number of consecutive failed tries. */
  tries: number;
  /** In `waiting`: the wait in milliseconds. */
  delay?: number;
  /** The close code of the last connection. */
  code?: number;
  reason?: string;
  error?: ErrorName;
  /** In `online`. */
  welcome?: Welcome;
}

export interface Welcome {
  user: string;
  server: string;
  /** Milliseconds. */
  heartbeat: number;
  /** Maxima, by name. */
  limits: Record<string, number>;
  /** The short names that reactions may have beside Unicode's emoji, such as `:lgtm:`; missing if there are none. */
  emojis?: string[];
  /** The URL parameter for a connection's main room, if a proxy routes rooms to servers by it. */
  route?: string;
  /** The server's time when it answered, in milliseconds since 1970; missing from an older server. */
  time?: number;
}

export interface Options {
  /** `ws:` or `wss:`. */
  url: string;
  /** A name without proof, in any Unicode normal form; or a `token`. */
  user?: string;
  /** A function is called for a token for each connection, and when the server warns that the current one ends soon. */
  token?: string | (() => Promise<string>);
  onState?(state: State): void;
  /** For tests and for places without a browser: the client's environment. Node before 22 needs a `WebSocket`. */
  environment?: {
    WebSocket?: unknown;
    /** Milliseconds, never going back. */
    now?(): number;
    /** From 0 up to, not including, 1. */
    random?(): number;
    after?(delay: number, action: () => void): unknown;
    cancel?(timer: unknown): void;
    /** Asks a server that could not be reached why: whether it refuses the page's origin. Default: that of a page. */
    fetch?(url: string, options: object): Promise<{ status: number; text(): Promise<string> }>;
    /** Computes the checksums of files. Node before 20 needs `webcrypto.subtle` of `node:crypto`. */
    subtle?: unknown;
    /**
     * Makes a request over HTTP, for uploads. Resolves to its status, its `upload-offset` header and its content; rejects if there
     * is no answer. `onprogress` gets the number of bytes that are sent.
     */
    transfer?(method: string, url: string, options: { headers?: Record<string, string>; body?: Blob; signal: AbortSignal; onprogress(loaded: number): void }): Promise<{ status: number; offset: string | null; text: string }>;
  };
}

/** The fields of a message beside its text. */
export interface SendOptions {
  replyTo?: string;
  mentions?: readonly string[];
  everyone?: boolean;
  data?: Data;
  files?: readonly UploadedFile[];
  id?: string;
}

/** The writer of a message that grows: see `Diffroom.write`. */
export interface Writer {
  /** The message's id. */
  readonly id: string;
  /**
   * Adds text to the end of the message. Text may be cut anywhere, also between the two halves of a surrogate pair.
   *
   * Throws once the message is closed, and the server's error once it has refused the message or a piece. It does that where the text has
   * more than `limits.text` bytes, or the message was deleted. Such a message is closed as failed.
   */
  append(text: string): void;
  /**
   * Closes the message when all its text is sent: as complete, or as `stopped` or `failed`. Rejects with the server's error. Another
   * call changes nothing, and has the same result.
   */
  close(ended?: 'stopped' | 'failed'): Promise<Effect>;
}

/** The list and the revision that show a command's effect. `id`: the message's; missing if it is about none. */
export interface Effect {
  id?: string;
  list: string;
  revision: number;
}

/**
 * One user's connection to a server, kept up until `close()`.
 *
 * Commands outlive connections: each is repeated with the same id until it is answered, and takes effect once. Their
 * promises reject with an `Error` that has the server's `error` name, its `reason`, and the `field` that is at fault if one
 * is. A text over `limits.text`, and a command that ends the connection with 1003, 1007 or 1009, is `too_large` and not
 * repeated.
 */
export class Diffroom {
  constructor(options: Options);
  readonly state: State['state'];
  readonly welcome: Welcome | undefined;
  /** The number of times that a list was fetched anew because its rows were wrong. */
  readonly resyncs: number;
  /** The time until the last hello or ping was answered, in milliseconds. */
  readonly latency: number | undefined;
  connect(): void;
  /** Ends the wait and tries after a short jitter; when online, pings. */
  hurry(): void;
  close(): void;
  /**
   * Follows a list. Each call returns another handle, also of a list that is followed already: `onChange` then begins with
   * the current state, after `subscribe` has returned.
   */
  subscribe<R extends Row = Message>(list: string, options?: SubscribeOptions<R>): List<R>;
  /**
   * Releases one handle of a list, without naming which: all of them go on until each is released. Where a list has several
   * handles, `List.unsubscribe` ends the one that is meant.
   */
  unsubscribe(list: string): void;
  /**
   * Sends a message, which stands in the snapshot's `pending` until its row arrives. With the `id` of an earlier page's
   * pending message, it is that message, and takes effect once. `mentions`: names of people, see `mentionsIn`;
   * `everyone`: the message mentions everybody, which an open room lets moderators do, see `everyoneIn`. `files`: what
   * `upload` has resolved to for this `id`, at most `limits.files`.
   */
  send(room: string, text: string, more?: SendOptions & { open?: boolean }): Promise<Effect>;
  /**
   * Begins a message that grows, as that of an assistant, with its first words or none:
   *
   *     const answer = chat.write('lobby', '', { replyTo: question.id });
   *     try {
   *       for await (const piece of model.stream(question.text)) answer.append(piece);
   *       await answer.close();
   *     } catch (error) {
   *       await answer.close('failed');
   *     }
   *
   * The first words are sent at once. The text that is appended while an answer is awaited is sent as one piece, also after a
   * reconnect: nothing is lost or repeated.
   */
  write(room: string, text?: string, more?: SendOptions): Writer;
  /**
   * Adds text to the end of a message that was sent with `open`. `at` is the size of its text before, as the server has it, in
   * bytes of UTF-8. `write` does all that by itself.
   */
  append(room: string, id: string, at: number, text: string, more?: { command?: string }): Promise<Effect>;
  /** Ends the growth of a message. Without `ended` its text is complete. */
  closeMessage(room: string, id: string, more?: { ended?: 'stopped' | 'failed'; command?: string }): Promise<Effect>;
  /**
   * Uploads a file for a message that is not sent yet, whose id the caller has made with `uuid`. Resolves to the file's object for
   * `send`, to which the caller adds `width`, `height`, `duration` and `preview`. A file has at least one byte, and at most
   * `limits.fileBytes`; where `limits.files` is 0 or missing, the server takes none.
   *
   * An upload goes on after a lost connection, where it ended; one to a store is sent again as a whole. It rejects with an `Error` that has the server's `error` and `reason`;
   * without an `error` if the connection was lost too often, or where there is no `crypto.subtle`, as on a page from plain http; and
   * with the signal's reason. `onprogress` is called in browsers only. The whole file is held in memory while its checksum is computed.
   */
  upload(room: string, message: string, file: Blob & { readonly name?: string }, options?: { signal?: AbortSignal; onprogress?(progress: { loaded: number; total: number }): void }): Promise<UploadedFile>;
  /**
   * Asks for the addresses of files, in the same order: `message` is the id of the message that has the file `id`. They work for
   * about an hour, for all who have them. `?download` behind one makes a browser save the file. Rejects without an `error` if there is
   * no connection.
   */
  links(room: string, files: readonly { readonly message: string; readonly id: string }[]): Promise<string[]>;
  /**
   * Replaces both the text and the mentions: without `mentions` and `everyone` there are none. `data` replaces the data, and
   * `{}` removes it. Without `text`, or without `data`, what there is stays.
   */
  edit(room: string, id: string, text: string | undefined, more?: { mentions?: readonly string[]; everyone?: boolean; data?: Data; command?: string }): Promise<Effect>;
  /** The server knows a repeat of this, and of each command but `send`, by its `command`, a UUID. */
  delete(room: string, id: string, more?: { command?: string }): Promise<Effect>;
  react(room: string, id: string, emoji: string, on: boolean, more?: { command?: string }): Promise<Effect>;
  /** Makes the user a member of the room, which then is in `me/rooms`; nothing in it is unread. Accepts an invitation. A thread is followed, and is in `me/threads`. */
  join(room: string, more?: { command?: string }): Promise<Effect>;
  /** Ends the membership, declines an invitation, or unfollows a thread. Who leaves a private room needs an invitation to come back. */
  leave(room: string, more?: { command?: string }): Promise<Effect>;
  /** Wants the profiles of these people in `me/people`, on this connection and later ones: at most `limits.people`. */
  know(people: Iterable<string>): void;
  /**
   * Stores what the user has written in a room and not sent, for their other devices: see the list `me/drafts`. `null` removes the
   * draft. The last one of a room counts, and of more than `limits.drafts` the oldest goes.
   *
   * Resolves when it is stored, or when a later one of the room has taken its place. Rejects with the server's `error`, or without an
   * `error` if there is no connection: nothing is repeated on the next one.
   */
  draft(room: string, content: DraftContent | null): Promise<void>;
  /**
   * Schedules a message of the id that it will have, or sets a reminder; the same `id` again replaces it, and `null` cancels it: see the list
   * `me/later`. It outlives connections as other commands do. After a cancel the message is not sent. A cancel rejects with `not_found`
   * (`not_waiting`) if the message was sent or cancelled before. `command` is this client's name for it, which no server sees.
   */
  later(id: string, content: ScheduledMessage | Reminder | null, more?: { command?: string }): Promise<{ id: string }>;
  /**
   * Blocks a user, by the name that stands in rows, or ends that: see the list `me/blocked`. The server then keeps their direct rooms with the
   * user, invitations and mentions out of the user's lists; an application does not show their messages in shared rooms, nor that they write. They
   * are not told. It outlives connections as other commands do. Rejects with `too_large` (`blocked`) if `limits.blocked` users are blocked.
   */
  block(user: string, on: boolean, more?: { command?: string }): Promise<void>;
  /**
   * Resolves to a message of a room or thread as it is now, or to nothing if it is gone. The room need not be followed. Rejects with the
   * server's `error`, or without an `error` if there is no connection.
   */
  fetch(room: string, id: string): Promise<Message | undefined>;
  /** Changes the member's own settings of a room, or of a thread that they follow; what is missing stays. Nobody else sees them. */
  set(room: string, settings: Settings & { command?: string }): Promise<Effect>;
  /**
   * Makes an open room, which the user owns, of a name that is free; a private room, which the user owns and to which the
   * people are invited; or the direct room of the user and these people, unless there is one. Resolves to the room's name.
   * The server knows a repeat by its `command`, a UUID.
   */
  create(
    room: { command?: string } & (
      | { kind: 'open'; room: string; title?: string }
      | { kind: 'private'; title?: string; people?: readonly string[] }
      | { kind: 'direct'; people: readonly string[] }
    ),
  ): Promise<string>;
  moderate<A extends keyof Moderation>(room: string, action: A, what: Moderation[A] & { command?: string }): Promise<Effect>;
  /**
   * Asks, as a moderator, for the last entries of the room's audit log, or for those before a revision: 50, or `limit`. They
   * ascend; `more` tells whether there are earlier ones. Rejects without an `error` if there is no connection.
   */
  audit(room: string, place?: { before?: number; limit?: number }): Promise<{ entries: AuditEntry[]; more: boolean }>;
  /**
   * Asks for the members of a room and the people invited to it, also those without a row: all, or those for whom each word of
   * `find` begins a word of the user's name or display name. `after` of the answer goes on; before the end, a page may have few
   * rows, or none. Rejects without an `error` if there is no connection.
   */
  findMembers(room: string, place?: { find?: string; after?: string; limit?: number }): Promise<MembersPage>;
  /**
   * Searches one room, or all rooms of which the user is a member: words, "phrases", beginnings*, `from:`, `in:`, `before:`,
   * `after:`, `has:link`. The newest come first; `before` of the answer goes on to older ones. Rejects without an `error` if
   * there is no connection.
   */
  search(query: string, place?: { room?: string; before?: SearchPlace; limit?: number }): Promise<{ results: SearchResult[]; before?: SearchPlace }>;
  /**
   * Shows the others in a subscribed room that the user writes. Call it with each key. It is sent every few seconds,
   * and ends by itself soon after the last call, or with a message.
   */
  typing(room: string, on: boolean): void;
  /**
   * Tells the revision of the room's messages up to which the user has read: the others, and a member's other devices.
   * It only grows, and is repeated on each connection. Once a second is often enough.
   *
   * Without a revision it is all that is there now, of a room that need not be subscribed but that the user is a member of;
   * without a connection nothing.
   */
  read(room: string, revision?: number): void;
  /** Marks all as read that is in these rooms now, as `read` without a revision does for one, with one request. */
  readAll(rooms: Iterable<string>): void;
  /** Forgets a pending message that the server refused. */
  discard(id: string): void;
}

type Frame = { type: 'snapshot' | 'diff' | 'page'; [field: string]: unknown };

/**
 * A reader's copy of one list, without a connection: for other transports, and for replaying docs/protocol/vectors.
 *
 * `resume` means: subscribe again with `resume()`; `restart`: subscribe again without, because the held rows are wrong;
 * `again`: ask for the page again. `why` is the outcome's name in docs/protocol-reference.md.
 */
export interface Replica<R extends Row = Message> {
  readonly state: Omit<Snapshot<R>, 'pending'>;
  apply(frame: Frame):
    | { verdict: 'applied'; changes: Changes<R> }
    | { verdict: 'ignored' | 'resume' | 'restart' | 'again'; why: string };
  /** `at`: the sort key of the row that the user looks at. */
  resume(at?: number): { epoch: string; revision: number; joined: number; ranges?: [number, number][]; at?: number } | undefined;
  get(id: string): R | undefined;
  placeOf(row: Pick<Row, 'section' | 'sort'>): [rows: readonly R[], index: number];
  trim(keep: number): Changes<R> | undefined;
}

export function replica<R extends Row = Message>(list: string): Replica<R>;

/**
 * Returns what a text is stored as when it is entered: without escape sequences and control characters, its lines ended by
 * line feeds. `send` and `edit` do that by themselves; show your user what is left where it matters.
 */
export function entered(text: string): string;

/** Returns the text of a message, or of a room's last one, for people: that of a damaged message says so. */
export function textOf(message: { readonly text?: string; readonly damaged?: true }): string;
/** Returns whether `entered` drops something of a text, about which its author should know. */
export function isReduced(text: string): boolean;

/** Returns whether something of a text can be seen. A server refuses texts of which nothing can. */
export function canBeSeen(text: string): boolean;

/**
 * Returns whom a text calls with `@`, for `send` and `edit`: the first 50 names, each once, as docs/protocol/vectors has
 * them. Give it the names in `room/NAME/members`: one of them may have spaces; another name ends before a space.
 */
export function mentionsIn(text: string, people?: Iterable<string>): string[];

/**
 * Returns where a name is being typed at the end of a text, for a field that offers people: the index of its `@`, and what is
 * typed of the name. Nothing where no name can begin, as in an address.
 */
export function begunMention(text: string): { at: number; typed: string } | null;

/**
 * Returns whether a text calls everybody, with `@room`: unless one of `people` has that name. It is for `send` and `edit`
 * of those who may mention everybody: moderators, and in private and direct rooms all who write.
 */
export function everyoneIn(text: string, people?: Iterable<string>): boolean;

/**
 * Splits a text at such names, to draw it: at even indices what is between them, at odd ones the names without their
 * `@`. The text is in normal form C. With the `mentions` of a message as `people`, what is not among them is only text.
 */
export function splitAtMentions(text: string, people?: Iterable<string>): string[];

/** Returns the index of the first row whose `sort` is this one or above, of rows in their order. O(log rows). */
export function lowerBound(rows: readonly Pick<Row, 'sort'>[], sort: number): number;

/** Returns the name of the thread of a message: the name of a room for `subscribe`, `send` and the other methods. */
export function threadName(room: string, id: string): string;

/** Returns the room and the id of the message that a thread answers, for the name of the thread; nothing for another name. */
export function threadRoot(name: string): { room: string; id: string } | undefined;

/** Returns a random UUID (version 4), also on pages from plain HTTP. */
export function uuid(): string;
