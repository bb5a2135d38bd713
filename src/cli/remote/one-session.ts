/** The commands about one session: show it, read its journal, stop or retry its turn, erase it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from '../../client/client-session.ts';
import type { ClientAnswer, WatchItem } from '../../client/follow.ts';
import type { IndexedOwner } from '../../worker/index-views.ts';
import { UsageError } from '../command.ts';
import { NO_INDEX } from './lists.ts';
import { type Asked, CannotAsk, FAILED, listIn, nameIn, OK, remoteCommand } from './remote-command.ts';
import { count, cut, dollars, inLines, jsonLine, localTime, oneLine, when, widthOf } from './terminal.ts';

const AGENT = { 'agent NAME': 'the agent of the session; not needed if there is only one' };

const OWNER = { 'owner OWNER': 'for operators: another owner, as id:NAME or tenant:NAME' };

async function sessionOf({ session = '', texts, deployment }: Asked): Promise<ClientSession> {
  const agent = await deployment.agent();
  const named = nameIn('a session', session);
  if (texts.owner !== undefined) await deployment.mustAdmitOperators(agent);
  return deployment.sessions(agent).session(named);
}

/** The number of characters to show of a call's input or an event. */
const MOST_DATA = 300;
const dataLine = (data: unknown): string =>
  cut(oneLine(typeof data === 'string' ? data : JSON.stringify(data)), MOST_DATA);

export const show = remoteCommand({
  name: 'show',
  session: 'one',
  summary: 'shows a session: its turn, waiting calls and messages',
  about: 'Shows the state of a session, the calls that wait for an answer, and its messages.',
  options: { ...AGENT, ...OWNER },
  async run(asked) {
    const { isJson, out } = asked;
    const state = await (await sessionOf(asked)).state();
    if (isJson) {
      out(jsonLine(state));
      return OK;
    }
    const messages = listIn(state, 'messages');
    const { inputTokens, outputTokens, cost } = state.usage;
    const { openTurn, turn } = state;
    out(`${oneLine(state.agent)} / ${oneLine(state.session)}, ${count(state.seq)} events`);
    out(`used      ${count(inputTokens)} input, ${count(outputTokens)} output tokens, ${dollars(cost)}`);
    if (turn) out(`turn      ${oneLine(turn.turn)}: ${openTurn ? 'open' : oneLine(turn.outcome)}`);
    for (const { turn: waiting, status } of listIn(state, 'waiting'))
      out(`later     ${oneLine(waiting)}: ${oneLine(status)}`);
    for (const { tool, message, call, expiresAt, by } of listIn(state, 'pending')) {
      out(`waits     ${oneLine(tool)}: ${oneLine(message)}`);
      out(`          call ${oneLine(call)}${by ? `, for the role ${oneLine(by)}` : ''}`);
      if (expiresAt !== undefined) out(`          expires ${when(expiresAt)}`);
    }
    for (const { role, text, toolCalls } of messages) {
      out(`\n${oneLine(role)}`);
      if (text) out(inLines(text, '  '));
      for (const { name, input, status, result } of listIn({ calls: toolCalls ?? [] }, 'calls')) {
        out(`  > ${oneLine(name)} ${dataLine(input)} (${oneLine(status)})`);
        if (result !== undefined) out(`    ${dataLine(result)}`);
      }
    }
    return OK;
  },
});

/** Practically unlimited: `--follow` ends with ctrl-c. */
const ALWAYS = 1_000_000;

export const journal = remoteCommand({
  name: 'journal',
  session: 'one',
  summary: 'prints the journal of a session, and follows it',
  about: 'Prints the events of a session, one a line. With --json each line is an event as JSON.',
  options: {
    ...AGENT,
    ...OWNER,
    follow: 'keeps printing new events until ctrl-c, also after a lost connection',
    'after SEQ': 'only the events after this sequence',
  },
  async run(asked) {
    const { texts, flags, err } = asked;
    if (texts.after !== undefined && !/^\d{1,15}$/.test(texts.after))
      throw new UsageError('--after takes the sequence of an event');
    const session = await sessionOf(asked);
    let after = Number(texts.after ?? 0);
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    if (flags.follow) process.once('SIGINT', interrupt);
    try {
      for await (const event of session.events({ after, signal: stop.signal })) {
        after = event.seq;
        print(asked, event);
      }
      if (!flags.follow) return OK;
      for await (const item of session.watch({ after, retries: ALWAYS, signal: stop.signal })) {
        if ('seq' in item) print(asked, item);
        if (item.type === 'resumed') err('The connection was lost, and is restored.');
        if (item.type !== 'erased') continue;
        err('The session was erased.');
        return OK;
      }
    } catch (failure) {
      if (!stop.signal.aborted) throw failure;
    } finally {
      process.removeListener('SIGINT', interrupt);
    }
    return OK;
  },
});

function print(
  { isJson, out, width = Infinity }: Asked,
  event: Extract<WatchItem, { readonly seq: number }>,
): void {
  if (isJson) {
    out(jsonLine(event));
    return;
  }
  const { seq, at, type, ...data } = event;
  const begin = `${String(seq).padStart(5)}  ${localTime(at, true)}  ${oneLine(type).padEnd(20)}  `;
  const room = width - widthOf(begin);
  // Narrower terminals wrap lines.
  out(begin + (room < 20 ? dataLine(data) : cut(dataLine(data), room)));
}

export const cancel = remoteCommand({
  name: 'cancel',
  session: 'one',
  summary: 'stops the open turn of a session',
  about: 'Stops the open turn of a session, or the turn that --turn names.',
  options: { ...AGENT, ...OWNER, 'turn TURN': 'the turn, which may not have started yet' },
  async run(asked) {
    const { turn } = asked.texts;
    const answer = await (await sessionOf(asked)).cancel(turn === undefined ? turn : nameIn('a turn', turn));
    asked.out(asked.isJson ? jsonLine(answer) : `Turn ${oneLine(answer.turn)} will stop.`);
    return OK;
  },
});

export const retry = remoteCommand({
  name: 'retry',
  session: 'one',
  summary: 'retries the last message of a session',
  about: `Runs a turn for the last message, if its turn failed, was cancelled or reached a limit, and waits for
its answer. Exits with 1 if that turn fails too. The app needs retry().`,
  options: AGENT,
  lacking: 'this deployment cannot retry, since its app does not use retry(): see docs/turns.md.',
  async run(asked) {
    const answer: ClientAnswer = await (await sessionOf(asked)).retry();
    const { isJson, out } = asked;
    if (isJson) out(jsonLine(answer));
    else {
      out(`Turn ${oneLine(answer.turn)}: ${oneLine(answer.outcome ?? answer.status)}`);
      if ('error' in answer && answer.error) out(inLines(answer.error.message, '  '));
      else if ('text' in answer && answer.text) out(inLines(answer.text, '  '));
    }
    return answer.outcome === 'failed' ? FAILED : OK;
  },
});

/** Milliseconds between checks of an owner's erasure. */
const LOOK = 2000;

export const erase = remoteCommand({
  name: 'erase',
  session: 'maybe',
  summary: 'erases a session, or all sessions of an owner',
  about: `Erases a session, or all sessions of an owner, with their files, after it has asked. With a session and
--owner, it erases that session of the owner.`,
  options: {
    ...AGENT,
    'owner OWNER':
      'for operators: all sessions of id:NAME or tenant:NAME, in the background, or only SESSION',
    wait: 'with --owner, but no SESSION: waits until all are erased',
    yes: 'does not ask first',
  },
  lacking: NO_INDEX,
  async run(asked) {
    const { session, texts, deployment, isJson, out } = asked;
    const { owner } = texts;
    if (session === undefined && owner === undefined) throw new UsageError('name a session, or use --owner');
    if (session === undefined && owner !== undefined) {
      const named = nameIn('--owner', owner);
      await mustMean(asked, `Erase all sessions of ${oneLine(owner)}`);
      let standing = await deployment.index.eraseOwner(named);
      while (asked.flags.wait && standing.erasure?.status === 'erasing') {
        await sleep(LOOK);
        standing = await deployment.index.owner(named);
      }
      out(isJson ? jsonLine(standing) : erasureOf(standing));
      return OK;
    }
    const one = await sessionOf(asked);
    const agent = await deployment.agent();
    const whose = owner === undefined ? '' : ` of ${oneLine(owner)}`;
    await mustMean(asked, `Erase the session ${oneLine(one.id)} of ${oneLine(agent)}${whose}`);
    await one.erase();
    out(
      isJson ? jsonLine({ session, agent, status: 'erased' }) : `The session ${oneLine(one.id)} is erased.`,
    );
    return OK;
  },
});

const erasureOf = ({ owner, sessions, erasure }: IndexedOwner): string =>
  erasure?.status === 'erased'
    ? `All sessions of ${oneLine(owner)} are erased: ${count(erasure.removed)}.`
    : `All sessions of ${oneLine(owner)} are being erased in the background: ${count(sessions)} are left.`;

/** @throws CannotAsk if the user does not confirm. */
async function mustMean({ flags, ask }: Asked, what: string): Promise<void> {
  if (flags.yes) return;
  if (!ask) throw new CannotAsk('this is not a terminal, so it cannot ask first: use --yes.');
  const said = await ask(`${what}? This cannot be undone. Type 'yes': `);
  if (said.trim().toLowerCase() !== 'yes') throw new CannotAsk('nothing was erased.');
}
