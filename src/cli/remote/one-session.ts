/** The commands about one session: show it, read its journal, stop or retry its turn, erase it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from '../../client/client-session.ts';
import type { ClientAnswer, WatchItem } from '../../client/follow.ts';
import type { IndexedOwner } from '../../worker/index-views.ts';
import { UsageError } from '../command.ts';
import { NO_INDEX_MESSAGE } from './lists.ts';
import {
  CannotAsk,
  type CommandInput,
  checkPathName,
  createRemoteCommand,
  EXIT_FAILED,
  EXIT_OK,
  readList,
} from './remote-command.ts';
import {
  computeWidth,
  formatCount,
  formatDollars,
  formatLocalTime,
  formatWhen,
  indentLines,
  toJsonLine,
  toOneLine,
  truncate,
} from './terminal.ts';

const AGENT_OPTION = { 'agent NAME': 'the agent of the session; not needed if there is only one' };

const OWNER_OPTION = { 'owner OWNER': 'for operators: another owner, as id:NAME or tenant:NAME' };

async function createNamedSession({ session = '', texts, deployment }: CommandInput): Promise<ClientSession> {
  const agent = await deployment.agent();
  const named = checkPathName('a session', session);
  if (texts.owner !== undefined) await deployment.mustAdmitOperators(agent);
  return deployment.sessions(agent).session(named);
}

/** The number of characters to show of a call's input or an event. */
const MAX_DATA_LENGTH = 300;
const formatData = (data: unknown): string =>
  truncate(toOneLine(typeof data === 'string' ? data : JSON.stringify(data)), MAX_DATA_LENGTH);

export const show = createRemoteCommand({
  name: 'show',
  session: 'one',
  summary: 'shows a session: its turn, waiting calls and messages',
  about: 'Shows the state of a session, the calls that wait for an answer, and its messages.',
  options: { ...AGENT_OPTION, ...OWNER_OPTION },
  async run(asked) {
    const { isJson, out } = asked;
    const state = await (await createNamedSession(asked)).state();
    if (isJson) {
      out(toJsonLine(state));
      return EXIT_OK;
    }
    const messages = readList(state, 'messages');
    const { inputTokens, outputTokens, cost } = state.usage;
    const { openTurn, turn } = state;
    out(`${toOneLine(state.agent)} / ${toOneLine(state.session)}, ${formatCount(state.seq)} events`);
    out(
      `used      ${formatCount(inputTokens)} input, ${formatCount(outputTokens)} output tokens, ${formatDollars(cost)}`,
    );
    if (turn) out(`turn      ${toOneLine(turn.turn)}: ${openTurn ? 'open' : toOneLine(turn.outcome)}`);
    for (const { turn: waiting, status } of readList(state, 'waiting'))
      out(`later     ${toOneLine(waiting)}: ${toOneLine(status)}`);
    for (const { tool, message, call, expiresAt, by } of readList(state, 'pending')) {
      out(`waits     ${toOneLine(tool)}: ${toOneLine(message)}`);
      out(`          call ${toOneLine(call)}${by ? `, for the role ${toOneLine(by)}` : ''}`);
      if (expiresAt !== undefined) out(`          expires ${formatWhen(expiresAt)}`);
    }
    for (const { role, text, toolCalls } of messages) {
      out(`\n${toOneLine(role)}`);
      if (text) out(indentLines(text, '  '));
      for (const { name, input, status, result } of readList({ calls: toolCalls ?? [] }, 'calls')) {
        out(`  > ${toOneLine(name)} ${formatData(input)} (${toOneLine(status)})`);
        if (result !== undefined) out(`    ${formatData(result)}`);
      }
    }
    return EXIT_OK;
  },
});

/** A practically unlimited number, since `--follow` ends with ctrl-c. */
const UNLIMITED_RETRIES = 1_000_000;

export const journal = createRemoteCommand({
  name: 'journal',
  session: 'one',
  summary: 'prints the journal of a session, and follows it',
  about: 'Prints the events of a session, one a line. With --json each line is an event as JSON.',
  options: {
    ...AGENT_OPTION,
    ...OWNER_OPTION,
    follow: 'keeps printing new events until ctrl-c, even after a lost connection',
    'after SEQ': 'only the events after this sequence',
  },
  async run(asked) {
    const { texts, flags, err } = asked;
    if (texts.after !== undefined && !/^\d{1,15}$/.test(texts.after))
      throw new UsageError('--after must be the sequence number of an event');
    const session = await createNamedSession(asked);
    let after = Number(texts.after ?? 0);
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    if (flags.follow) process.once('SIGINT', interrupt);
    try {
      for await (const event of session.events({ after, signal: stop.signal })) {
        after = event.seq;
        printEvent(asked, event);
      }
      if (!flags.follow) return EXIT_OK;
      for await (const item of session.watch({ after, retries: UNLIMITED_RETRIES, signal: stop.signal })) {
        if ('seq' in item) printEvent(asked, item);
        if (item.type === 'resumed') err('The connection was lost and restored.');
        if (item.type !== 'erased') continue;
        err('The session was erased.');
        return EXIT_OK;
      }
    } catch (failure) {
      if (!stop.signal.aborted) throw failure;
    } finally {
      process.removeListener('SIGINT', interrupt);
    }
    return EXIT_OK;
  },
});

function printEvent(
  { isJson, out, width = Infinity }: CommandInput,
  event: Extract<WatchItem, { readonly seq: number }>,
): void {
  if (isJson) {
    out(toJsonLine(event));
    return;
  }
  const { seq, at, type, ...data } = event;
  const begin = `${String(seq).padStart(5)}  ${formatLocalTime(at, true)}  ${toOneLine(type).padEnd(20)}  `;
  const room = width - computeWidth(begin);
  // Narrower terminals wrap lines.
  out(begin + (room < 20 ? formatData(data) : truncate(formatData(data), room)));
}

export const cancel = createRemoteCommand({
  name: 'cancel',
  session: 'one',
  summary: 'stops the open turn of a session',
  about: 'Stops the open turn of a session, or the turn that --turn names.',
  options: { ...AGENT_OPTION, ...OWNER_OPTION, 'turn TURN': 'the turn, which may not have started yet' },
  async run(asked) {
    const { turn } = asked.texts;
    const answer = await (await createNamedSession(asked)).cancel(
      turn === undefined ? turn : checkPathName('a turn', turn),
    );
    asked.out(asked.isJson ? toJsonLine(answer) : `Turn ${toOneLine(answer.turn)} will stop.`);
    return EXIT_OK;
  },
});

export const retry = createRemoteCommand({
  name: 'retry',
  session: 'one',
  summary: 'retries the last message of a session',
  about: `Runs a turn for the last message, if its turn failed, was cancelled or reached a limit, and waits for
its answer. Exits with 1 if that turn fails too. The app needs retry().`,
  options: AGENT_OPTION,
  lacking: 'this deployment cannot retry, since its app does not use retry(). See docs/turns.md.',
  async run(asked) {
    const answer: ClientAnswer = await (await createNamedSession(asked)).retry();
    const { isJson, out } = asked;
    if (isJson) out(toJsonLine(answer));
    else {
      out(`Turn ${toOneLine(answer.turn)}: ${toOneLine(answer.outcome ?? answer.status)}`);
      if ('error' in answer && answer.error) out(indentLines(answer.error.message, '  '));
      else if ('text' in answer && answer.text) out(indentLines(answer.text, '  '));
    }
    return answer.outcome === 'failed' ? EXIT_FAILED : EXIT_OK;
  },
});

/** Milliseconds between checks of an owner's erasure. */
const POLL_MS = 2000;

export const erase = createRemoteCommand({
  name: 'erase',
  session: 'maybe',
  summary: 'erases a session, or all sessions of an owner',
  about: `Erases a session, or all sessions of an owner, with their files, after it has asked. With a session and
--owner, it erases that session of the owner.`,
  options: {
    ...AGENT_OPTION,
    'owner OWNER':
      'for operators: all sessions of id:NAME or tenant:NAME, in the background, or only SESSION',
    wait: 'with --owner, but no SESSION: waits until all are erased',
    yes: 'does not ask first',
  },
  lacking: NO_INDEX_MESSAGE,
  async run(asked) {
    const { session, texts, deployment, isJson, out } = asked;
    const { owner } = texts;
    if (session === undefined && owner === undefined) throw new UsageError('name a session, or use --owner');
    if (session === undefined && owner !== undefined) {
      const named = checkPathName('--owner', owner);
      await confirm(asked, `Erase all sessions of ${toOneLine(owner)}`);
      let standing = await deployment.index.eraseOwner(named);
      while (asked.flags.wait && standing.erasure?.status === 'erasing') {
        await sleep(POLL_MS);
        standing = await deployment.index.owner(named);
      }
      out(isJson ? toJsonLine(standing) : formatErasure(standing));
      return EXIT_OK;
    }
    const one = await createNamedSession(asked);
    const agent = await deployment.agent();
    const whose = owner === undefined ? '' : ` of ${toOneLine(owner)}`;
    await confirm(asked, `Erase the session ${toOneLine(one.id)} of ${toOneLine(agent)}${whose}`);
    await one.erase();
    out(
      isJson
        ? toJsonLine({ session, agent, status: 'erased' })
        : `The session ${toOneLine(one.id)} is erased.`,
    );
    return EXIT_OK;
  },
});

const formatErasure = ({ owner, sessions, erasure }: IndexedOwner): string =>
  erasure?.status === 'erased'
    ? `All sessions of ${toOneLine(owner)} are erased: ${formatCount(erasure.removed)}.`
    : `All sessions of ${toOneLine(owner)} are being erased in the background: ${formatCount(sessions)} are left.`;

/** @throws CannotAsk if the user does not confirm. */
async function confirm({ flags, ask }: CommandInput, what: string): Promise<void> {
  if (flags.yes) return;
  if (!ask) throw new CannotAsk('the command cannot ask first, since this is not a terminal. Use --yes.');
  const said = await ask(`${what}? This cannot be undone. Type 'yes': `);
  if (said.trim().toLowerCase() !== 'yes') throw new CannotAsk('nothing was erased.');
}
