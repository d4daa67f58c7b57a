/** The times that the page offers for a message to be sent later, and for a reminder. */

const MINUTE = 60_000; // ms
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MOST_DAYS = 366; // ahead, which a server accepts
const [MORNING, EVENING, LATE] = [9, 18, 17]; // hours; from LATE on, the evening has come

/** @type {Record<string, [act: string, label: string, span: number][]>} for each purpose, from now */
const SPANS = {
  send: [['hour', 'In 1 hour', HOUR]],
  remind: [['minutes', 'In 20 minutes', 20 * MINUTE], ['hour', 'In 1 hour', HOUR], ['hours', 'In 3 hours', 3 * HOUR]],
};

/**
 * Returns the times for a purpose as `{act, label, at}`, the soonest first. Those that are a time of day, `isClock`, are by the time zone of
 * this browser.
 *
 * @param {'send' | 'remind'} purpose
 * @param {number} now the server's time
 * @returns {{ act: string, label: string, at: number, isClock?: boolean }[]}
 */
export function timesFor(purpose, now) {
  const today = new Date(now);
  const ahead = (days, hour) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour).getTime();
  const untilMonday = (8 - today.getDay()) % 7 || 7;
  const spans = SPANS[purpose].map(([act, label, span]) => ({ act, label, at: now + span }));
  /** @type {[act: string, label: string, at: number][]} */
  const days = [
    ['evening', 'This evening', ahead(0, EVENING)],
    ['tomorrow', 'Tomorrow', ahead(1, MORNING)],
    ['monday', 'Monday', ahead(untilMonday, MORNING)],
  ];
  const isOffered = { evening: purpose === 'send' && today.getHours() < LATE, tomorrow: true, monday: untilMonday > 1 }; // or Monday is tomorrow
  return [...spans, ...days.filter(([act]) => isOffered[act]).map(([act, label, at]) => ({ act, label, at, isClock: true }))].sort((a, b) => a.at - b.at);
}

/** Returns why a time cannot be chosen; nothing if it can. */
export function faultOf(at, now) {
  if (!Number.isFinite(at)) return 'Choose a day and a time.';
  if (at <= now) return 'This time is past.';
  return at > now + MOST_DAYS * DAY ? 'Choose a time within a year.' : '';
}

/** Returns a time as a field for a day and a time has it, in this browser's time zone. */
export function fieldOf(at) {
  const date = new Date(at);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns how many days a time is from now, as calendars count them: 1 for tomorrow. */
export function daysUntil(at, now) {
  const [day, today] = [at, now].map((time) => new Date(time)).map((date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()));
  return (day - today) / DAY;
}
