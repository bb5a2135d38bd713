import { stripVTControlCharacters } from 'node:util';
import type { Finding } from './ledger.ts';

/** What wrangler says when nothing is wrong. Requests may be answered as they like: their senders judge that. */
const EXPECTED: readonly RegExp[] = [
  /^\s*$/,
  /^ ⛅️ wrangler /,
  /^─+$/,
  // Said once on each machine, and again by each new version, also where nothing may be sent.
  /^Cloudflare collects anonymous telemetry about your usage of Wrangler\. /,
  /^Using secrets defined in /,
  /^Your Worker has access to the following bindings:$/,
  /^Binding\s+Resource\s+Mode$/,
  /^env\.\w+ \(.*\)\s+.*\slocal$/,
  /^⎔ Starting local server\.\.\.$/,
  /^\[wrangler:info\] Ready on http:/,
  /^\[wrangler:info\] (GET|POST|DELETE) \S+ \d{3} .*\(\d+ms\)$/,
  // Logged once by each process that lets this machine in: .dev.vars opens local mode.
  /^▲ \[WARNING\] holdfast: This machine is let in without a token\. /,
  // The line of each turn. One that failed is looked at.
  /^\{"owner":\{[^}]*\},"agent":"chaos","session":"s\d+",.*"event":"turn","outcome":"(completed|cancelled)",/,
  // Somebody saves a file while this runs, which restarts the Worker once more.
  /^⎔ (Reloading local server\.\.\.|Local server updated and ready)$/,
  // It asks for a file at its start, and there is no network.
  /^\[wrangler:warn\] Unable to fetch the `Request\.cf` object! /,
  /^Error: getaddrinfo \w+ workers\.cloudflare\.com$/,
  /^ {4}at GetAddrInfoReqWrap\./,
  // workerd's own notes: after a SIGKILL its alarm manager and the object's storage know of different times.
  /NOSENTRY SQLite alarm (overdue, running despite AlarmManager mismatch|handler canceled with requestScheduledAlarm)/,
];

/** Every line of the log that nobody expects: an error that was not caught, or one that was told of. */
export const judgeLog = (log: string): Finding[] =>
  stripVTControlCharacters(log)
    .split('\n')
    .filter((line) => !EXPECTED.some((pattern) => pattern.test(line)))
    .map((line) => ({ rule: 'log', where: 'wrangler', what: line.slice(0, 300) }));
