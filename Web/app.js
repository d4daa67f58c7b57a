/** The page: one room of the user's rooms, built on the client library. */

import { Access } from './access.js';
import { Actions } from './actions.js';
import { Attachments } from './attachments.js';
import { BlockedPanel } from './blockedpanel.js';
import { Blocked } from './blocked.js';
import { areSomeBlocked, isBlocked, isOutOfReach, onFoldsChange } from './blocks.js';
import { learnNow } from './clock.js';
import { Commands } from './commands.js';
import { Composer } from './composer.js';
import { Diffroom, threadName, threadRoot } from './diffroom.js';
import { Display } from './display.js';
import { Drafts } from './drafts.js';
import { Dragging } from './dragging.js';
import { $, ROOM_PARTS, onPageEnd, tellerIn, withNews } from './elements.js';
import { EmojiPicker, putEmojis } from './emojipicker.js';
import { followFaces, hasMet, trustFaces } from './faces.js';
import { FirstHint } from './firsthint.js';
import { FollowedThreads } from './followed.js';
import { KeptLists } from './keptlists.js';
import { roomOf } from './kinds.js';
import { Labels, invitationOf, kindOf, labelOf } from './labels.js';
import { LaterView } from './laterview.js';
import { Lightbox } from './lightbox.js';
import { Link } from './link.js';
import { MemberLookup, MemberPages } from './memberpages.js';
import { Membership } from './membership.js';
import { MentionsView } from './mentions.js';
import { ModerationView } from './moderation.js';
import { Moderator } from './moderator.js';
import { NewRoom } from './newroom.js';
import { News } from './news.js';
import { Notifier } from './notifier.js';
import { OpenRooms } from './openrooms.js';
import { Owner } from './owner.js';
import { listenForDay, pageActions } from './pageactions.js';
import { listenForRoomKeys } from './pagekeys.js';
import { PersonCard } from './personcard.js';
import { PinnedMessages } from './pinnedmessages.js';
import { PeopleView } from './people.js';
import { PopupMenu } from './popupmenu.js';
import { RoomMenu } from './roommenu.js';
import { showTitle } from './roomtitle.js';
import { ReadMarks } from './readmarks.js';
import { takeMark } from './roomlist.js';
import { Router } from './router.js';
import { Settings } from './settings.js';
import { SharedDrafts } from './shareddrafts.js';
import { keepShell } from './shell.js';
import { Shortcuts } from './shortcuts.js';
import { Sidebar } from './sidebar.js';
import { Speaker } from './speaker.js';
import { storage } from './storage.js';
import { Switcher } from './switcher.js';
import { ThreadPane } from './thread.js';
import { Totals } from './totals.js';
import { TypedCommands, commandIn } from './typedcommands.js';
import { User } from './user.js';

const FOUND = 20; // people with the same beginning of a name among whom one is looked for
const SILENT = 4000; // the close code for a dead connection, whose peer gave no reason

const kept = storage('localStorage');
const lists = new KeptLists();
const tab = storage('sessionStorage'); // a reloaded page keeps its user and its unsent messages
let chat;
let here; // the room that is shown; none before it is known which
let limits = {};

const me = () => user.name;
const firstHint = new FirstHint(kept);
const user = new User({
  chat: () => chat,
  onName: start,
  onFirst: () => firstHint.begin(),
  onSignOut: () => lists.clear(),
  room: () => (kindOf(here?.name) === 'open' ? `#${here.name}` : ''),
  kept,
  tab,
});

async function start(name) {
  user.call(name);
  await lists.open(name, user.token);
  if (!user.token) router.choose(); // a token's user is known later
  enter();
  (thread.name ? thread : composer).focus();
}

// The room that is shown

const page = {
  part: ROOM_PARTS,
  chat: () => chat,
  me,
  kept,
  tab,
  lists,
  onUnseen: (rows, isFar) => totals.takeUnseen(rows, isFar),
  onArrived: (rows) => speaker.tell(rows),
  onPeople: (said) => people.take(said),
  onMiss: (error) => people.miss(error),
  onMessages: () => thread.renew(),
  onPins: () => pinned.take(),
  onStanding: stand,
  onSaid: (time) => composer.said(time),
  onCome() {
    router.arrive();
    access.arrive();
    stand(here.standing); // which the server sends first, unless it is the usual one
  },
  onError: (error) => router.miss(error),
  onSettled: refreshRows,
  about: (room) => labels.of(room),
  hint: (text) => composer.hint(text),
  isLoud: (room) => notifier.isLoud(room),
};
const conversations = new OpenRooms(page);

/** Returns the conversation of a room or thread that was shown lately. */
const conversationOf = (name) => (threadRoot(name) ? thread : conversations).get(name);
/** Returns the composer of a room or thread, which may have another one's draft now. */
const composerOf = (name) => (threadRoot(name) ? thread.composer : composer);

const commands = new Commands({
  me,
  kept,
  onChange({ method, args: [room, id] }) {
    if (['edit', 'delete', 'react'].includes(method)) {
      conversationOf(room)?.mark(id);
      thread.mark(room, id);
    }
    if (['set', 'join', 'leave'].includes(method)) refreshRows();
    if (method === 'moderate' && room === here?.name) pinned.show();
    if (method === 'later') later.changed();
    if (method === 'block') blocked.changed();
  },
  onRefusedEdit: (edit, error) => composerOf(edit.room).takeBack(edit, error),
  onRefusedSend: (room, refused) => composerOf(room).restoreIn(room, refused),
  onRefusedLater: (refused, error) => later.refused(refused, error),
  onRefusedBlock: (refused, error) => blocked.refused(refused, error),
  onRefused: ({ message }) => composer.hint(message),
  onMade: (room, people) => labels.know(room, people),
});
page.commands = commands;

const later = new LaterView({
  chat: () => chat,
  me,
  commands,
  composerOf,
  people: (room) => peopleOf(room),
  about: (room) => labels.of(room),
  readable: (text) => labels.readable(text),
  composer: () => composer,
  held: (name, id) => conversationOf(name)?.list?.get(id),
  notifier: () => notifier,
  say: (text) => speaker.say(text),
  onOpen: goTo,
  onOpenMessage: goToMessage,
});
const { offers } = later;

/** @type {Blocked} */
const blocked = new Blocked({ chat: () => chat, commands, hint: (text) => blockedPanel.hint(text) });
const mayReach = (people) => blocked.askToUnblock(people);
const onUnblock = (user) => blocked.unblock(user);

const memberPages = new MemberPages({ chat: () => chat, room: () => here?.name, list: () => here?.members });

const people = new PeopleView({
  list: () => here?.members,
  pages: memberPages,
  lookup: new MemberLookup(memberPages),
  me,
  kept,
  onPeople: tellPeople,
  onMessage: (person) => newRoom.message(person),
  onMenu: (person, button, point) => moderator.open(person, button, point),
});

function tellPeople(all) {
  here.view.readBy(all);
  composer.meet();
  thread.composer.meet();
  if (!sidebar.isMember(here.name) && here.unread.readElsewhere(all.find(({ id }) => id === me())?.read)) here.view.redraw();
  if (!areSomeBlocked()) return;
  sidebar.refresh(); // which does not show that they are typing
  leaveBlocked();
}

const attachments = new Attachments({
  part: ROOM_PARTS,
  chat: () => chat,
  mayAdd: () => composer.mayAttach(),
  hint: (text) => composer.hint(text),
  focus: () => composer.focus(),
});

const drafts = new SharedDrafts(new Drafts(me, kept), {
  chat: () => chat,
  limits: () => limits,
  people: (room) => peopleOf(room),
  isAtField: (room) => room === composerOf(room).name && document.hasFocus() && composerOf(room).hasFocus,
  onChange: (room) => (room === composerOf(room).name ? composerOf(room).load() : sidebar.refresh()),
  onConflict: (room) => room === composerOf(room).name && composerOf(room).note('You have changed this draft on another device, too. Its text follows in the field when you have sent this one.'),
});

/** Those who have a row in the list of people, and the others who were found. */
function peopleHere() {
  const rows = (here.members?.snapshot().sections ?? []).flatMap((section) => section.rows);
  return [...rows, ...memberPages.known].filter(({ id }) => id !== me());
}

/** Returns the names of those who are known in a room or thread: in the one that is shown. */
const peopleOf = (name) => (roomOf(name) === here?.name ? peopleHere().map(({ id }) => id) : []);

const composer = new Composer({
  part: ROOM_PARTS,
  files: attachments,
  drafts,
  me,
  chat: () => chat,
  limits: () => limits,
  readable: (text) => labels.readable(text),
  people: peopleHere,
  lookup: new MemberLookup(memberPages),
  message: async (id) => here.fetch(id),
  onUp: () => actions.select(),
  isCommand: (text) => Boolean(commandIn(text)),
  onCommand: (text) => typed.perform(text),
  onSaid: () => {
    firstHint.close();
    here.unread.said();
    here.comeBack();
    here.view.toEnd();
  },
});

offers.put(ROOM_PARTS, composer);

const picker = new EmojiPicker({ me, kept });
putEmojis($('text'), $('emojis'), picker);

const menu = new PopupMenu($('message-menu'));
const lightbox = new Lightbox();

function forward(row) {
  switcher.pick('Forward to a room', (room) => {
    goTo(room);
    if (composer.mayWrite) composer.quote(row);
  });
}

const actions = new Actions({
  part: ROOM_PARTS,
  menu,
  lightbox,
  get name() {
    return here.name;
  },
  get view() {
    return here.view;
  },
  me,
  chat: () => chat,
  list: () => here.list,
  isMember: () => sidebar.isMember(here.name),
  onUnread: ({ sort }) => settings.markUnread(here.name, sort),
  offers,
  onForward: forward,
  onUnblock,
  onThread: ({ id }) => openThread(threadName(here.name, id)),
  onFront: () => thread.isCovering && thread.close(),
  get pins() {
    return pinned;
  },
  composer,
  picker,
});

function enter() {
  const url = new URL('.', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const { name, token } = user;
  chat = new Diffroom({ url: url.href, ...(token ? { token } : { user: name }), onState: showState });
  commands.keep(chat);
  blocked.follow(chat, lists); // before all that has texts
  followFaces(chat, { roots: () => [document, ...[...conversations.all, ...thread.all].map(({ timeline }) => timeline)], onChange: recall, mayLoad: () => sidebar.mayLoadFor(here?.name) });
  sidebar.follow(chat, 'me/rooms', lists, { onChange: takeRooms, onMiss: missRooms });
  followed.follow(chat, 'me/threads', lists, { onChange: takeThreads, onMiss: () => thread.renewRows() });
  later.follow(chat, lists);
  here?.follow();
  thread.follow();
}

/** Shows rooms and readers by what people are called now. */
function recall() {
  sidebar.redraw();
  followed.redraw();
  composer.renew();
  thread.composer.renew();
  showRoom();
}

/** Folds what blocked users say, and shows what is not folded any more. */
function refold() {
  for (const { view } of conversations.all) view.refold();
  for (const part of [thread, people, sidebar, followed, mentions]) part.refold();
  pinned.show();
  leaveBlocked();
}

/** Leaves the direct room with a user who is blocked: whoever is in a room is seen there. */
function leaveBlocked() {
  if (kindOf(here?.name) !== 'direct') return;
  const [other, ...more] = peopleHere();
  const isAlone = other && !more.length && isBlocked(other.id);
  if (isAlone || isOutOfReach(labels.of(here.name))) goTo(router.besides(here.name), 'replaceState');
}

/** Returns whether others write in a room, of whom the page does not know that all are blocked. */
function isTyping({ id }) {
  const writers = id === here?.name ? peopleHere().filter(({ typing }) => typing) : [];
  return !writers.length || writers.some((person) => !isBlocked(person.id));
}

/** Shows another room, on the same connection. Dialogs about the one before are closed. */
function open(room, linked) {
  if (room === here?.name) return;
  for (const dialog of /** @type {NodeListOf<HTMLDialogElement>} */ (document.querySelectorAll('dialog[data-of=room]'))) dialog.close();
  drafts.flush();
  thread.hide();
  here?.leave();
  access.enter();
  here = conversations.open(room, linked);
  unveil();
  if (chat?.state === 'online') showState({ state: 'online', tries: 0 }); // it was about the other room
  composer.enter(room, here.standing);
  thread.stand(here.standing);
  here.show();
  memberPages.enter();
  people.enter(here.members?.snapshot());
  pinned.show();
  if (kindOf(room) === 'open') switcher.remember(room);
  sidebar.enter();
  trustFaces();
  showRoom();
}

/** Lets the user read and write, now that there is a room for it. */
function unveil() {
  if (!$('composer').inert) return;
  $('room-button').hidden = $('scroller').inert = $('composer').inert = false;
  if (chat && document.activeElement === document.body) composer.focus();
}

/** Shows what the room is called, and what the user can do with it. */
function showRoom() {
  if (!here) return;
  const room = labels.of(here.name);
  showTitle(room, here.standing?.topic);
  composer.call(labelOf(room));
  thread.call();
  here.tellBeginning();
  labels.keep(room);
  membership.show();
  owner.show();
  moderation.show();
  totals.show();
}

function stand(standing) {
  composer.stand(standing);
  thread.stand(standing);
  pinned.show();
  sidebar.refresh();
  showRoom();
}

/** Shows the room or thread of an address. */
function show(name, linked) {
  const isThread = Boolean(threadRoot(name));
  open(roomOf(name), isThread ? undefined : linked);
  if (isThread) thread.open(name, linked);
  else if (thread.name) leaveThread(threadRoot(thread.name).id);
}

/** Shows a thread of the room that is shown. */
function openThread(name, visit = 'pushState') {
  router.goToThread(name, visit);
  if (name === thread.name) thread.shown.comeBack();
  thread.open(name);
  thread.focus();
  speaker.say(labelOf(labels.of(name)));
}

/** Closes the thread. The focus goes to the message that it answers. */
function leaveThread(id) {
  const hadFocus = $('thread').contains(document.activeElement);
  thread.hide();
  if (hadFocus) (here.view.node(id) ?? $('scroller')).focus({ preventScroll: true });
}

/** Shows a room or thread because the user has asked for it; `visit` is how the browser's history has it. */
function goTo(name, visit = 'pushState') {
  const room = roomOf(name);
  const isThread = room !== name;
  $('menu').hidePopover();
  const isOther = room !== here?.name;
  const isBehind = thread.isCovering && !isThread;
  const wasDrawn = [sidebar, people].map((panel) => (isOther || isBehind || isThread ? panel.giveWay() : panel.withdraw())).includes(true);
  const step = wasDrawn ? 'replaceState' : visit; // the new address takes the place of the drawer's step
  if (isOther || isBehind) router.go(room, step);
  speaker.say(withNews(`Room ${labelOf(labels.of(room))}`, newsOf(labels.of(room))));
  if (name === here?.name) here.comeBack();
  if (isBehind) thread.hide();
  open(room);
  if (isThread) openThread(name, isOther ? 'pushState' : step);
  // On a phone, the field would bring the keyboard up.
  else if (wasDrawn) $('scroller').focus({ preventScroll: true });
  else composer.focus();
}

/** Searches the messages of the user's rooms. */
async function search(query) {
  return chat ? chat.search(query, { limit: 8 }) : {};
}

/** Shows a message of a room or thread. */
function goToMessage(name, id) {
  goTo(name);
  (threadRoot(name) ? thread : here).seek(id);
}

onPageEnd(() => {
  here?.keep();
  thread.keep();
});

/** Goes elsewhere before the user leaves a private room. */
function goFrom(room) {
  if (room === here.name) goTo(router.besides(room), 'replaceState');
  conversations.forget(room);
  thread.forget(room);
  lists.dropRoom(room);
}

// The connection

const link = new Link(() => chat);

/** @param {import('./diffroom.js').State} connection */
function showState({ state, delay, code, reason, error, welcome }) {
  link.show(state);
  if (welcome) {
    limits = welcome.limits ?? {};
    if (welcome.time) learnNow(welcome.time);
    attachments.limit(limits);
    thread.limit(limits);
    user.call(welcome.user);
    kept.set('name', welcome.user);
    lists.confirm(welcome.user, user.token);
    reads.begin();
    drafts.begin();
    commands.begin(); // the server tells the name that a token is for
    if (here) here.standing = undefined; // it is reported next if it is not the usual one
    stand();
  }
  if (state === 'online') firstHint.show();
  if (state === 'online') access.tell();
  else if (state === 'connecting') link.tell('Connecting…');
  else if (state === 'waiting') {
    here?.unread.leave();
    thread.leave();
    link.countDown(delay, code === SILENT ? '' : readable(reason ?? ''));
  } else if (error) lists.refuse().then(() => user.refuse(error, reason)); // nothing more of this person is kept
  else link.tell(`Disconnected${reason ? `: ${reason}` : ''}`, 'Connect', () => chat.connect());
}

$('newer').addEventListener('click', () => {
  here.view.toEnd();
  composer.focus();
});

// Rooms

const reads = new ReadMarks({ chat: () => chat, me, kept, listOf });
page.reads = reads;
const news = new News({ conversationOf, isShown: (name) => name === (threadRoot(name) ? thread : here)?.name, reads, callsOf: (row) => notifier.callsOf(row) });
const newsOf = (row) => news.of(row);

/** Returns the list that a room or thread is in, if the user is a member. */
function listOf(name) {
  return threadRoot(name) ? followed : sidebar;
}

const sidebar = new Sidebar({
  me,
  shown: () => here?.name,
  about: (room) => labels.of(room),
  news,
  mentionsIn: (room) => followed.mentionsIn(room),
  draftOf: (room) => drafts.textOf(room),
  isTyping,
  isChanging: (room) => commands.of(room).length > 0,
  onOpen: goTo,
  onJoin: (room) => membership.join(room),
  onLeave: (room) => membership.leave(room),
  onMenu: (room, link, point) => roomMenu.open(room, link, point),
  onMove: (room, by) => settings.move(room, by),
  onTotal: (total) => {
    totals.takeElsewhere(total);
    notifier.settle();
  },
  kept,
});
const followed = new FollowedThreads({
  news,
  settings: () => settings,
  me,
  isChanging: (name) => commands.of(name).length > 0,
  onOpen: goTo,
  onLeave: (name) => thread.unfollow(name),
  onTotal: (total) => {
    totals.takeThreads(total);
    notifier.settle();
  },
});
new Display(() => notifier);
const shortcuts = new Shortcuts();
const switcher = new Switcher({ actions: () => pageActions(here && labels.of(here.name), roomMenu), rooms: sidebar, newsOf, shown: () => here?.name, onOpen: goTo, search, about: (room) => labels.of(room), onFound: goToMessage, me, kept });
page.rooms = sidebar;
const mentions = new MentionsView({ chat: () => chat, about: (room) => labels.of(room), onOpen: goToMessage });
const totals = new Totals({ label: () => here && labelOf(labels.of(here.name)), mentions });
const speaker = new Speaker();
const labels = new Labels({ rooms: sidebar, followed, me, standing: (room) => conversations.get(room)?.standing, kept: tab });
const notifier = new Notifier({ me, get: (room) => listOf(room).get(room), isSeen: (row) => news.isSeen(row), onOpen: goTo, kept });
const readable = (text) => labels.readable(text);
const shared = { chat: () => chat, shown: () => labels.of(here.name), about: (room) => labels.of(room), readable, rooms: sidebar, composer, onOpen: goTo };
const router = new Router({
  shown: () => here?.name,
  rooms: sidebar,
  me,
  kept,
  onOpen: show,
  onReturn(name) {
    sidebar.withdraw();
    show(name);
  },
  onError: (refusal) => access.refuse(refusal),
});
const access = new Access({ ...shared, shown: () => here, link, onStanding: stand });
const membership = new Membership({ ...shared, onLeave: goFrom });
const settings = new Settings({ ...shared, composer: tellerIn('threads-said', composer), say: (text) => speaker.say(text), onMark });
const roomMenu = new RoomMenu({ get: (room) => sidebar.get(room), newsOf, settings, notifier, onLeave: (room) => membership.leave(room) });
const names = () => [...new Set([...conversations.people, ...sidebar.rows.flatMap((row) => row.people ?? [])])].filter((id) => id !== me());
const isKnown = (name) => hasMet(name) || names().includes(name);
const newRoom = new NewRoom({ ...shared, me, names, isKnown, mayReach, onMade: (room, people) => labels.know(room, people) });
const blockedPanel = new BlockedPanel({ blocked, composer, readable });
const moderator = new Moderator({ ...shared, blocked, onAct: () => people.withdraw() && $('people-button').focus() });
const typed = new TypedCommands({ ...shared, moderator, onHelp: () => shortcuts.show() });
new PersonCard({
  lists: [$('scroller'), $('thread'), $('people')],
  me,
  rowOf: (person) => here.members?.get(person) ?? memberPages.get(person),
  find: async (person) => memberPages.isCut && (await memberPages.find(person, FOUND)),
  mayModerate: () => moderator.choices.length > 0,
  blocked,
  onMessage: (person) => newRoom.message(person),
  onModerate: (person, opener, point) => moderator.open(person, opener, point),
});
const thread = new ThreadPane({
  conversations: page,
  here: () => here,
  about: (room) => labels.of(room),
  chat: () => chat,
  me,
  limits: () => limits,
  tab,
  drafts,
  people: peopleHere,
  lookup: () => new MemberLookup(memberPages),
  readable,
  isCommand: (text) => Boolean(commandIn(text)),
  onCommand: (text, composer) => typed.perform(text, composer),
  menu,
  lightbox,
  picker,
  onForward: forward,
  onUnblock,
  listen: (node) => actions.listen(node),
  followed,
  offers,
  commands,
  onUnread: (name, { sort }) => settings.markUnread(name, sort),
  onShow: refreshRows,
  onClose(room, id) {
    router.leaveThread(room);
    leaveThread(id);
  },
});
drafts.listen([$('text'), $('thread-text')]);
const pinned = new PinnedMessages({ here: () => here, commands, composer, moderator, onOpen: (id) => actions.goTo(id) });
const moderation = new ModerationView({ ...shared, moderator, names });
const owner = new Owner({ ...shared, me, names, isKnown, mayReach, moderator, standing: () => here.standing });

new Dragging({
  get: (room) => sidebar.get(room),
  onPin: (room, place) => settings.pin(room, place),
  onUnpin: (room) => settings.unpin(room),
  onRest: (room, link, point) => roomMenu.open(room, link, point),
});

function takeRooms(said) {
  const { why, inserted, moved } = said.changes;
  takeMark(sidebar, here);
  const known = new Set(sidebar.in('invited').map(({ id }) => id));
  const invitations = [...inserted, ...moved].filter(({ id, section }) => section === 'invited' && !known.has(id));
  sidebar.take(said);
  if (why === 'held') return router.choose();
  reads.send(sidebar);
  router.choose();
  notifier.take(said.snapshot, invitations);
  if (inserted.length) switcher.renew();
  if (why === 'diff' && invitations.length) speaker.say(invitationOf(invitations[0]));
  access.comeBack();
  trustFaces();
  showRoom();
  here.land();
  drafts.follow(chat); // after the rooms, which decide what is shown
}

function takeThreads(said) {
  takeMark(followed, thread.shown);
  followed.take(said);
  sidebar.refresh(); // whose rows show mentions in threads
  if (said.changes.why !== 'held') {
    reads.send(followed);
    notifier.take(said.snapshot);
  }
  thread.renewRows();
}

/** Draws rows and numbers after a change of the screen or of unanswered commands. */
function refreshRows() {
  followed.refresh();
  sidebar.refresh();
  thread.showFollowing();
}

function onMark(name, from) {
  const shown = threadRoot(name) ? thread.shown : here;
  if (name === shown?.name) shown.markUnread(from);
  reads.forget(name);
}

function missRooms() {
  router.choose();
  showRoom();
  here.land();
}

onFoldsChange(refold);
listenForRoomKeys({ switcher, rooms: sidebar, onOpen: goTo });
listenForDay({ view: () => here.view, hint: (text) => composer.hint(text) });
router.begin();
user.begin();
keepShell();
