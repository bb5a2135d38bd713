import type { Agent } from '../agent/define-agent.ts';
import { collectAppModules, createAgentResolver } from '../agent/resolve-agent.ts';
import { findAskingSeam } from '../journal/asking.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { LiveItem } from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Modules } from '../loop/modules.ts';
import { toHistory } from '../loop/shown-history.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { toReader } from '../session/fold-session.ts';
import { createItemHandler } from '../session/live-feed.ts';
import { toNewMessage } from '../session/new-message.ts';
import { systemClock } from '../session/read-platform.ts';
import { type MintedSecrets, readSecrets, toSessionName } from '../session/read-secrets.ts';
import { foldAll, readTurn } from '../session/read-session.ts';
import { runTurn } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import {
  type AnswerObject,
  foldStoppedTurn,
  type SuspendedTurn,
  type TurnAnswer,
} from '../session/watching/turn-outcome.ts';
import { CODE_PRINCIPAL, type HistoryMessage, type TurnPrincipal } from '../tool/call.ts';
import type { LiteralShape } from '../tool/check-literal.ts';
import { toLog, writeProblems } from '../tool/console-log.ts';
import type { ContentPart } from '../tool/content.ts';
import type { GivenEnv } from '../tool/env.ts';
import type { JsonObject } from '../tool/json.ts';
import { type AnswerWithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import { literals } from '../tool/literals.ts';
import type { LogOption } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { withFullStop } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { createMemorySessions } from './memory-session.ts';
import { storeHistory } from './store-history.ts';

/** The settings of the turn, which an app would provide. */
export interface RunAgentOptions {
  /** Replaces the agent's own model. Also used for subagents without a model. */
  readonly model?: ChatModel | undefined;
  /**
   * For `call.env`, for agents that create their model from it, and for the var `TOOL_GROUPS`. For example
   * `process.env`.
   */
  readonly env?: GivenEnv | undefined;
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** The principal of the turn. Defaults to `{ id: 'code' }`. */
  readonly principal?: TurnPrincipal | undefined;
  /** Credentials by name, for `call.secrets`. Never shown to a model. */
  readonly secrets?: MintedSecrets | undefined;
  /** Other agents, for subagents that are referenced by name. */
  readonly agents?: readonly Agent[] | undefined;
  /** Modules, as in an app. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** Cancels the run. The answer then has the outcome `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The previous conversation, oldest first: the `messages` of an earlier answer, which can be stored as
   * JSON. The model reads it before the message. State, blackboard and files of that run are lost.
   */
  readonly history?: readonly HistoryMessage[] | undefined;
  /**
   * Receives the events of the turn as they happen, including partial text. If it throws, the error is logged
   * and it is not called again.
   */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Receives the entries of the log. Defaults to the console, without the entry for each turn. */
  readonly log?: LogOption | undefined;
}

/**
 * The answer, like that of `POST .../messages`. `suspended`: the calls in `pending` wait for a person. They
 * can no longer be answered, since the run is over.
 */
export type RunAnswer<Output = unknown> = AnswerWithArtifacts<
  StoppedRun<Output> & {
    /** The whole conversation with the `history`. Pass it as `history` to the next run. */
    readonly messages: readonly HistoryMessage[];
  }
>;

/** The end of a turn, with an object typed by the agent's output. */
export type StoppedRun<Output = unknown> = (Omit<TurnAnswer, 'object'> | Omit<SuspendedTurn, 'object'>) & {
  readonly object?: AnswerObject<Output>;
};

/** An event of a run: one from its journal, or an item in between, such as partial text. */
export type RunEvent = StoredEvent | LiveItem;

/**
 * Runs one turn of an agent in this process, with the loop, limits and answers of a session, but without a
 * Worker. For scripts, and for Node. It stores no data. A crash loses the turn. Tools cannot schedule
 * messages. A call that needs approval, or whose result comes from a client, ends the turn as `suspended`. A
 * failed turn is an answer, too.
 *
 * @throws ConfigurationError if neither the agent nor `options` has a model, a tool group is unavailable, two
 * modules share a
 *   name, or in development a key of the options is unknown; TypeError if the history is not a conversation; FileRefusedError if a
 *   file of the message is empty or too large.
 *
 * @example
 * ```ts
 * const clerk = defineAgent({ name: 'clerk', description: 'Counts.', instructions: 'Count.', model: scriptedModel(['Three.']) });
 * const { text } = await runAgent(clerk, 'How many legs has a milking stool?');
 * ```
 */
export async function runAgent<Output>(
  agent: Agent<string, Output>,
  message: string | readonly ContentPart[],
  options: RunAgentOptions = {},
): Promise<RunAnswer<Output>> {
  const fault = literals?.fault(options, SHAPE);
  if (fault) throw new ConfigurationError(`runAgent ${withFullStop(fault.problem)}`);
  const { principal = CODE_PRINCIPAL, signal, history = [], onEvent } = options;
  const session = `run-${crypto.randomUUID()}`;
  const place = { owner: { id: principal.id }, agent: agent.name, session };
  const name = toSessionName(place);
  const port = createMemorySessions({ clock: systemClock, leaseMs: LEASE_MS, dispatch: () => {} }).session(
    name,
  );
  const declared = createTurnHost(agent, options, port);
  const show = onEvent && createItemHandler(declared, onEvent);
  const host = { ...declared, show, place };
  const reader = toReader(host.modules);
  const said = await toNewMessage(message, host.modules.files);
  const context = ToolCallContext.of(options.context ?? {});
  const start = toTurnStart({ agent: agent.name, ...said, context, from: principal }, createId);
  // A lease holder listens for new messages while the session has a reader.
  const line = await port.watch({ onNotice: () => {}, onClosed: () => {} });
  const cancel = (): void => void port.post({ kind: 'cancel', turn: start.turn, body: '{}' });
  try {
    await storeHistory({ port, agent: agent.name, from: principal, reader, newId: createId }, history);
    await port.accept(start);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const leased = await port.resume({ nonce: createId(), turn: start.turn, reader });
    if (leased.status !== 'leased') throw new Error(`The run could not start (${leased.status}).`);
    const { status } = await runTurn(host, leased, systemClock.now());
    if (status === 'lost' || status === 'handed-over') throw new Error(`The run ended early (${status}).`);
    const answer = toRunAnswer(host, session, await readTurn(port, start.turn));
    const { state } = (await foldAll(port, host.modules.memories)) ?? {};
    const messages = toHistory(state?.messages ?? []);
    const typed = withArtifacts(answer) as AnswerWithArtifacts<StoppedRun<Output>>; // the agent's own schema has validated the object
    return Object.assign(typed, { messages });
  } finally {
    signal?.removeEventListener('abort', cancel);
    line.close();
    await port.erase();
  }
}

const SHAPE = {
  of: 'runAgent',
  keys: {
    model: 'model',
    env: 'any',
    context: 'any',
    principal: 'any',
    secrets: 'any',
    agents: 'agents',
    use: 'list',
    signal: 'any',
    history: 'any', // Also checked in production, since it may come from a store.
    onEvent: 'function',
    log: 'any',
  },
  required: [],
  foreign: {
    messages: 'history',
    abortSignal: 'signal',
    onChunk: 'onEvent',
    files: 'use: [files({ store })]',
  },
} satisfies LiteralShape<keyof RunAgentOptions>;

/** Returns the answer of a stopped turn, or the calls that it waits for. */
export function toRunAnswer(
  { agent, modules }: Pick<TurnHost, 'agent'> & { readonly modules: Modules },
  session: string,
  events: readonly StoredEvent[],
): TurnAnswer | SuspendedTurn {
  const stopped = foldStoppedTurn(session, agent.name, events);
  const { outcome } = stopped;
  return outcome === 'suspended'
    ? { ...stopped, outcome, pending: findAskingSeam(modules.uses)?.pending(events) ?? [] }
    : { ...stopped, outcome };
}

/** The session ends with this process, so its only holder retains the lease even during a long pause. */
const LEASE_MS = 24 * 60 * 60 * 1000;

const createId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16);

function createTurnHost(declared: Agent, options: RunAgentOptions, port: SessionPort) {
  const { log } = options;
  const env = { ...options.env };
  const app = [declared, ...(options.agents ?? [])];
  const modules = collectAppModules({ ...options, agents: app });
  const inEnv = createAgentResolver({ modules, agents: app });
  const resolveInEnv = (one: Agent): Agent => inEnv?.(one, env) ?? one;
  const createModelInEnv = (make: ModelOfEnv): ChatModel => make(env);
  const getOwnModel = ({ model, modelOf: make }: Agent): ChatModel | undefined =>
    make ? createModelInEnv(make) : model;
  const model = options.model ?? getOwnModel(declared);
  if (model === undefined) throw createNoModelError(declared.name);
  const resolve = (one: Agent): Agent => ({ ...resolveInEnv(one), model: getOwnModel(one) });
  return {
    ...{ port, env, model },
    clock: systemClock,
    modules,
    agent: { ...resolveInEnv(declared), model },
    agents: {
      names: app.map(({ name }) => name).toSorted(),
      model,
      modelOf: createModelInEnv,
      find(name: string) {
        const found = app.find((one) => one.name === name);
        return found && resolve(found);
      },
      resolve,
    },
    secrets: () => readSecrets(options.secrets),
    log: toLog(log ?? writeProblems),
    keepsNothing: true,
  } satisfies TurnHost;
}

const createNoModelError = (agent: string): ConfigurationError =>
  new ConfigurationError(
    `Agent '${agent}' has no model. Set its 'model', or call runAgent(agent, message, { model }).`,
  );
