import { stripVTControlCharacters } from 'node:util';
import type { Finding } from './ledger.ts';

/**
 * Lines that wrangler prints in a correct run. The status of a request is not checked here, because its sender
 * checks it.
 */
const EXPECTED: readonly RegExp[] = [
  /^\s*$/,
  /^ ⛅️ wrangler /,
  /^─+$/,
  // Wrangler prints this once for each version on a machine, even if telemetry is blocked.
  /^Cloudflare collects anonymous telemetry about your usage of Wrangler\. /,
  /^Using secrets defined in /,
  /^Your Worker has access to the following bindings:$/,
  /^Binding\s+Resource\s+Mode$/,
  /^env\.\w+ \(.*\)\s+.*\slocal$/,
  /^⎔ Starting local server\.\.\.$/,
  /^\[wrangler:info\] Ready on http:/,
  /^\[wrangler:info\] (GET|POST|DELETE) \S+ \d{3} .*\(\d+ms\)$/,
  // Each process logs this once in local mode, which .dev.vars enables.
  /^▲ \[WARNING\] holdfast: This machine is let in without a token\. /,
  // The log line of a turn. The line of a failed turn does not match, so it is reported.
  /^\{"owner":\{[^}]*\},"agent":"chaos","session":"s\d+",.*"event":"turn","outcome":"(completed|cancelled)",/,
  // Wrangler prints this if a file is saved during the run, which restarts the Worker.
  /^⎔ (Reloading local server\.\.\.|Local server updated and ready)$/,
  // Wrangler requests a file when it starts, but there is no network.
  /^\[wrangler:warn\] Unable to fetch the `Request\.cf` object! /,
  /^Error: getaddrinfo \w+ workers\.cloudflare\.com$/,
  /^ {4}at GetAddrInfoReqWrap\./,
  // Messages of workerd. After a SIGKILL, the alarm manager and the object's storage can have different alarm
  // times.
  /NOSENTRY SQLite alarm (overdue, running despite AlarmManager mismatch|handler canceled with requestScheduledAlarm)/,
];

/** Returns a finding for every unexpected line of the log, such as an uncaught or logged error. */
export const judgeLog = (log: string): Finding[] =>
  stripVTControlCharacters(log)
    .split('\n')
    .filter((line) => !EXPECTED.some((pattern) => pattern.test(line)))
    .map((line) => ({ rule: 'log', where: 'wrangler', what: line.slice(0, 300) }));
