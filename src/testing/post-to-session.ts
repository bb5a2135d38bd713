import type { Agent } from '../agent/define-agent.ts';
import { findAskingSeam, type SentAnswer } from '../journal/asking.ts';
import type { DeferredTurn, Notice } from '../journal/event-page.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { InboxMessage } from '../journal/inbox-message.ts';
import type { AcceptedTurn, SessionPort } from '../journal/session-port.ts';
import type { PendingCall } from '../journal/wait.ts';
import type { Modules } from '../loop/modules.ts';
import { storeMessage, toNewMessage } from '../session/new-message.ts';
import { systemClock } from '../session/read-platform.ts';
import { NoticeQueue } from '../session/watching/follow-session.ts';
import { ChangeNotifier } from '../tool/async.ts';
import type { Answer, DecisionKind, TurnPrincipal, WhenBusy } from '../tool/call.ts';
import type { ContentPart } from '../tool/content.ts';
import { copyJson } from '../tool/copy-json.ts';
import { isJsonObject, type JsonObject } from '../tool/json.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { type KillableTurnWorker, TESTER, type TurnSteps } from './turn-steps.ts';

/**
 * A message: text, or parts that contain the bytes of files, such as
 * `content(['What is this?', image(png, 'image/png')]).parts`.
 */
export type TestMessage = string | readonly ContentPart[];

/**
 * The options of a message: the fields of a request body, and the principal, which an app's `auth` would
 * return.
 */
export interface SendOptions {
  /** The sender, which is `call.principal` of the turn. Defaults to the principal of the session. */
  readonly principal?: TurnPrincipal | undefined;
  readonly context?: JsonObject | ToolCallContext | undefined;
  readonly loopId?: string | undefined;
}

/** The options of a message that is sent during a turn. */
export interface PostOptions extends SendOptions {
  /**
   * With `queue`, its turn starts after earlier turns have ended. With `steer`, the model of the open turn
   * reads it next. The turn must have the same sender, unless the agent's `policies.steering` allows anyone.
   */
  readonly whenBusy?: WhenBusy | undefined;
  /** Seconds until its turn starts, by the session's clock. */
  readonly delaySeconds?: number | undefined;
}

/** The parts of a session that are needed to send messages. */
interface SessionParts {
  readonly agent: Agent;
  readonly port: SessionPort;
  readonly modules: Modules;
  readonly steps: TurnSteps;
  /** The default principal of messages. */
  readonly principal: TurnPrincipal | undefined;
  readonly context: ToolCallContext;
  /** Advances the time so that the running turn receives new messages. */
  readonly receiveNow: () => void;
  readonly heard: ReceivedMessages;
}

/** The turns whose messages a lease holder has received. */
export class ReceivedMessages {
  readonly #turns = new Set<string>();
  readonly #changes = new ChangeNotifier();

  add(turn: string): void {
    this.#turns.add(turn);
    this.#changes.notify();
  }

  /** Resolves when a lease holder has received the message of this turn. */
  async until(turn: string): Promise<void> {
    while (!this.#turns.has(turn)) await this.#changes.next;
  }
}

/** Returns a port that adds the turn of each message that its lease holder receives to `heard`. */
export function recordReceived(port: SessionPort, heard: Pick<ReceivedMessages, 'add'>): SessionPort {
  const recordInbox = <T extends object>(answer: T): T => {
    const { inbox = [] } = answer as { readonly inbox?: readonly InboxMessage[] }; // some have an inbox
    for (const { turn } of inbox) heard.add(turn);
    return answer;
  };
  return {
    ...port,
    append: async (epoch, from, change) => recordInbox(await port.append(epoch, from, change)),
    renew: async (...renewal) => recordInbox(await port.renew(...renewal)),
  };
}

/** Runs the turn of a message until it stops, and returns its id. */
export async function runMessageTurn(
  stage: Pick<SessionParts, 'steps' | 'principal' | 'context' | 'modules'> & {
    readonly worker: KillableTurnWorker;
  },
  message: TestMessage,
  options: SendOptions,
): Promise<string> {
  const { steps, worker, modules } = stage;
  const said = await toNewMessage(message, modules.files);
  const leased = await steps.begin(toSentMessage(stage, said, options));
  if (leased.status !== 'leased')
    throw new Error(`The session did not accept the message (${leased.status}).`);
  const turn = leased.page.openTurn?.id ?? '';
  await worker.drive(turn, leased);
  return turn;
}

/** Stores a message, and gives the running turn time to receive it. */
export async function postMessageTo(
  stage: SessionParts,
  message: TestMessage,
  { whenBusy, delaySeconds, ...options }: PostOptions,
): Promise<AcceptedTurn | DeferredTurn> {
  const { agent, steps, port, modules, receiveNow, heard } = stage;
  const { steering } = agent.policies;
  const delayMs = delaySeconds === undefined ? undefined : delaySeconds * 1000;
  // Text is posted synchronously, since the next line of a test may kill the turn.
  const said = typeof message === 'string' ? { message } : await toNewMessage(message, modules.files);
  const sent = toSentMessage(stage, said, options);
  const { from } = sent;
  const start = steps.startOf({ ...sent, whenBusy, delayMs });
  const taken = await storeMessage({ port, steering, from, start, take: (one) => port.accept(one) });
  switch (taken.status) {
    case 'accepted':
    case 'queued':
    case 'scheduled':
      return taken;
    case 'steering':
      receiveNow();
      await waitUntilReceived({ port, heard }, taken.turn);
      return taken;
    default:
      throw new Error(`The session did not accept the message (${taken.status}).`);
  }
}

/** Returns the message with the session's context, and with its principal by default. */
export function toSentMessage(
  { principal, context }: Pick<SessionParts, 'principal' | 'context'>,
  said: Awaited<ReturnType<typeof toNewMessage>>,
  { principal: from = principal ?? { id: TESTER }, context: more = {}, loopId }: SendOptions,
): Parameters<TurnSteps['begin']>[0] & { readonly from: TurnPrincipal } {
  return { ...said, from, loopId, context: context.merge(ToolCallContext.of(more)) };
}

/** Returns the bytes of a file that the session stores, or `null` if it has no file with this id. */
export async function readFile(port: Pick<SessionPort, 'blob'>, id: string): Promise<Uint8Array | null> {
  let bytes: Uint8Array | null = null;
  for (let from = 0; ; ) {
    const page = await port.blob({ id, from });
    if (!page?.bytes) return null;
    bytes ??= new Uint8Array(page.size);
    bytes.set(page.bytes, from);
    from += page.bytes.byteLength;
    if (from >= page.size) return bytes;
  }
}

/** Posts a cancel of a turn, and gives its lease holder time to receive it. */
export async function postCancelTo(
  { port, receiveNow }: SessionParts,
  given: string | undefined,
): Promise<void> {
  const turn = given ?? (await port.read({ from: 1, limit: 1 }))?.openTurn?.id;
  const posted = turn === undefined ? 'no-such-turn' : await port.post({ kind: 'cancel', turn, body: '{}' });
  if (posted !== 'posted')
    throw new Error(given ? `The turn ${given} is not open.` : 'There is no open turn to cancel.');
  receiveNow();
}

/** The real time in which the running turn must receive a message, in milliseconds. */
const MAX_WAIT_MS = 2_000;

/** Waits until the lease holder has received this turn's message, or the message becomes a separate turn. */
async function waitUntilReceived(
  { port, heard }: Pick<SessionParts, 'port' | 'heard'>,
  turn: string,
): Promise<void> {
  const late = AbortSignal.timeout(MAX_WAIT_MS);
  const notices = new NoticeQueue({ port, clock: systemClock, signal: late, meter: undefined });
  const isSteering = ({ waiting }: Notice): boolean =>
    waiting.some((one) => one.turn === turn && one.status === 'steering');
  const known = heard.until(turn).then(() => true);
  const told = notices.until((notice) => !isSteering(notice)).then(() => !late.aborted);
  if (await Promise.race([known, told]).finally(() => notices.close())) return;
  throw new Error(
    `The message of turn ${turn} was not received within ${MAX_WAIT_MS} ms: the running turn is stuck, or its clock is stopped. Advance a manual clock while \`post\` is awaited.`,
  );
}

/**
 * A decision in a test session or crash matrix: its kind, or an object with more fields. `by` is the person
 * who decides: an id, which has every role, or a principal, whose tenant and roles are checked as over HTTP.
 * Defaults to `tester`.
 */
export type TestDecision =
  | DecisionKind
  | (Answer<'decision'> & { readonly by?: string | TurnPrincipal | undefined });

/**
 * Converts a decision for `sendAnswer`. @throws TypeError if the decision is missing, as is possible in plain
 * JavaScript.
 */
export function toSentDecision(given: TestDecision | undefined): Parameters<typeof sendAnswer>[2] {
  if (given === undefined)
    throw new TypeError("The decision is missing. Pass one after the call, as in decide('pay', 'approve').");
  const { by, ...body } = typeof given === 'string' ? { decision: given, by: undefined } : given;
  return { for: 'decision', body, by };
}

/** The session whose questions a test answers. */
interface AnswerTarget {
  readonly port: SessionPort;
  readonly agent: Agent;
  readonly modules: Modules;
  readonly events: readonly StoredEvent[];
}

/** Returns the calls that a turn waits for, or an empty list without the module `answers`. */
export const listPendingCalls = ({
  modules,
  events,
}: Pick<AnswerTarget, 'modules' | 'events'>): readonly PendingCall[] =>
  findAskingSeam(modules.uses)?.pending(events) ?? [];

/**
 * Posts the answer to the only waiting call with this id or tool name. Returns its turn, which another
 * invocation must then resume.
 *
 * @throws Error if not exactly one call with this name waits, if the answer is invalid or refused, or if it
 * must come from another person.
 */
export async function sendAnswer(
  place: AnswerTarget,
  callOrTool: string,
  {
    body: given,
    for: kind,
    by = TESTER,
  }: Pick<SentAnswer, 'for'> & { readonly body: object; readonly by?: string | TurnPrincipal | undefined },
): Promise<string> {
  const { call, question, for: wanted, by: role } = findWaitingCall(callOrTool, listPendingCalls(place));
  if (kind === 'result' && wanted !== kind) {
    throw createInvalidAnswerError([`call ${call} waits for a decision. Use decide`]);
  }
  // Deep nesting in a decision causes a separate error.
  const copy = kind === 'result' ? copyJson(given) : { ok: true as const, value: { ...given } };
  if (!copy.ok)
    throw createInvalidAnswerError([`the value at \`${copy.problem.path}\` is ${copy.problem.what}`]);
  const { value: body } = copy;
  if (!isJsonObject(body)) throw createInvalidAnswerError(['it must be a JSON object']);
  if (role !== undefined && typeof by === 'object' && !by.roles?.includes(role))
    throw new Error(formatMissingRole(call, role, by));
  const answer = { for: kind, call, question, body };
  const outcome = await findAskingSeam(place.modules.uses)?.answer(place, answer, by);
  const [first] = place.events;
  const turn = first && 'turn' in first ? first.turn : '';
  if (outcome === 'kept-out')
    throw new Error(formatWrongDecider({ call, turn }, typeof by === 'string' ? by : by.id));
  if (typeof outcome === 'object') throw createInvalidAnswerError(outcome.problems);
  if (outcome !== 'posted') throw new Error(`The answer was refused (${outcome}).`);
  return turn;
}

const formatMissingRole = (call: string, role: string, { id, roles = [] }: TurnPrincipal): string =>
  `Call ${call} must be decided by a person with the role '${role}', but '${id}' has ${roles.map((one) => `'${one}'`).join(', ') || 'none'}. ` +
  `Name another person, as in { decision: 'approve', by: { id: 'manager', roles: ['${role}'] } }.`;

const createInvalidAnswerError = (problems: readonly string[]): Error =>
  new Error(`The answer is not valid: ${problems.join('; ')}.`);

const formatWrongDecider = (
  { call, turn }: { readonly call: string; readonly turn: string },
  by: string,
): string =>
  `Call ${call} must be decided by a person who did not ask for turn ${turn}, but '${by}' did. ` +
  "Name another person, as in { decision: 'approve', by: 'manager' }.";

function findWaitingCall(callOrTool: string, waiting: readonly PendingCall[]): PendingCall {
  const [found, ...more] = waiting.filter(({ call, tool }) => call === callOrTool || tool === callOrTool);
  if (found && more.length === 0) return found;
  const calls = waiting.map(({ call, tool }) => `${tool} (${call})`).join(', ') || 'nothing';
  throw new Error(
    `${found ? 'More than one call matches' : 'No waiting call matches'} '${callOrTool}'. Waiting: ${calls}.`,
  );
}
