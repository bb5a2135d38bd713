import type { Agent } from '../agent/define-agent.ts';
import { agentResolver, appModules } from '../agent/resolve-agent.ts';
import { askingOf } from '../journal/asking.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { LiveItem } from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Modules } from '../loop/modules.ts';
import { toHistory } from '../loop/shown-history.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { readerOf } from '../session/fold-session.ts';
import { showing } from '../session/live-feed.ts';
import { toNewMessage } from '../session/new-message.ts';
import { systemClock } from '../session/read-platform.ts';
import { type MintedSecrets, readSecrets, toSessionName } from '../session/read-secrets.ts';
import { foldAll, readTurn } from '../session/read-session.ts';
import { runTurn } from '../session/run-turn.ts';
import type { TurnHost } from '../session/turn-host.ts';
import {
  type AnswerObject,
  type SuspendedTurn,
  stoppedTurn,
  type TurnAnswer,
} from '../session/watching/turn-outcome.ts';
import { CODE, type HistoryMessage, type TurnPrincipal } from '../tool/call.ts';
import type { LiteralShape } from '../tool/check-literal.ts';
import { toLog, writeProblems } from '../tool/console-log.ts';
import type { ContentPart } from '../tool/content.ts';
import type { GivenEnv } from '../tool/env.ts';
import type { JsonObject } from '../tool/json.ts';
import { type WithArtifacts, withArtifacts } from '../tool/kept-values.ts';
import { literals } from '../tool/literals.ts';
import type { LogOption } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { ended } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { createMemorySessions } from './memory-session.ts';
import { storeHistory } from './store-history.ts';

/** What an app would give to the turn. */
export interface RunAgentOptions {
  /** In the place of the agent's own, and for agents that it asks and that have none. */
  readonly model?: ChatModel | undefined;
  /** For `call.env`, for agents that make their model of it, and of the vars `TOOL_GROUPS`; such as `process.env`. */
  readonly env?: GivenEnv | undefined;
  readonly context?: JsonObject | ToolCallContext | undefined;
  /** For whom it runs; `{ id: 'code' }` unless given. */
  readonly principal?: TurnPrincipal | undefined;
  /** Credentials by name, for `call.secrets`; never shown to a model. */
  readonly secrets?: MintedSecrets | undefined;
  /** Other agents, for subagents that are given by name. */
  readonly agents?: readonly Agent[] | undefined;
  /** Modules, as an app has them. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** Cancels the run: what is answered then has the outcome `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What was said before, oldest first: the `messages` of an earlier answer, also after they were kept as JSON. The model is shown it before
   * the message. State, blackboard and files of that run are gone.
   */
  readonly history?: readonly HistoryMessage[] | undefined;
  /** Gets what happens in the turn as it comes, pieces of text too. If it throws, the log says so and it gets no more. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Takes the lines of the log; unless given, problems are written to the console, and no line for each turn. */
  readonly log?: LogOption | undefined;
}

/**
 * What `POST .../messages` would answer. `suspended`: calls wait for somebody, as `pending` says, and nobody can answer them any
 * more, for the run is over.
 */
export type RunAnswer<Output = unknown> = WithArtifacts<
  StoppedRun<Output> & {
    /** The whole conversation, the `history` included: what the next run takes as its `history`. */
    readonly messages: readonly HistoryMessage[];
  }
>;

/** How a turn stopped, with an object that the agent's output has typed. */
export type StoppedRun<Output = unknown> = (Omit<TurnAnswer, 'object'> | Omit<SuspendedTurn, 'object'>) & {
  readonly object?: AnswerObject<Output>;
};

/** What happens in a run: an event of its journal, or what comes before one, such as a piece of text. */
export type RunEvent = StoredEvent | LiveItem;

/**
 * Runs one turn of an agent in this process, with the loop, the limits and the answers of a session, and no Worker: for scripts, and
 * in Node. Nothing outlives it. A crash loses it; what a tool wants to schedule is refused; a call that needs approval, or whose
 * result a client sends, ends it as `suspended`. A turn that fails is an answer too.
 *
 * @throws ConfigurationError when neither the agent nor `options` has a model, a tool group is not to be had, or two modules share a
 *   name, or in development a key of the options is not known; TypeError when the history is no conversation; FileRefusedError when a
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
  if (fault) throw new ConfigurationError(`runAgent: it ${ended(fault.problem)}`);
  const { principal = CODE, signal, history = [], onEvent } = options;
  const session = `run-${crypto.randomUUID()}`;
  const place = { owner: { id: principal.id }, agent: agent.name, session };
  const name = toSessionName(place);
  const port = createMemorySessions({ clock: systemClock, leaseMs: LEASE_MS, dispatch: () => {} }).session(
    name,
  );
  const declared = hostOf(agent, options, port);
  const show = onEvent && showing(declared, onEvent);
  const host = { ...declared, show, place };
  const reader = readerOf(host.modules);
  const said = await toNewMessage(message, host.modules.files);
  const context = ToolCallContext.of(options.context ?? {});
  const start = toTurnStart({ agent: agent.name, ...said, context, from: principal }, newId);
  // Whoever holds a session listens for what is sent to it while somebody reads it.
  const line = await port.watch({ onNotice: () => {}, onClosed: () => {} });
  const cancel = (): void => void port.post({ kind: 'cancel', turn: start.turn, body: '{}' });
  try {
    await storeHistory({ port, agent: agent.name, from: principal, reader, newId }, history);
    await port.accept(start);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    const leased = await port.resume({ nonce: newId(), turn: start.turn, reader });
    if (leased.status !== 'leased') throw new Error(`The run was not begun: it is ${leased.status}.`);
    const { status } = await runTurn(host, leased, systemClock.now());
    if (status === 'lost' || status === 'handed-over') throw new Error('The run was cut short.');
    const answer = stopShown(host, session, await readTurn(port, start.turn));
    const { state } = (await foldAll(port, host.modules.memories)) ?? {};
    const messages = toHistory(state?.messages ?? []);
    const typed = withArtifacts(answer) as WithArtifacts<StoppedRun<Output>>; // its object has passed the agent's own schema
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
    history: 'any', // Looked at in production too: it may have been kept somewhere.
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

/** Returns the answer of a turn that has stopped, or what it waits for. */
export function stopShown(
  { agent, modules }: Pick<TurnHost, 'agent'> & { readonly modules: Modules },
  session: string,
  events: readonly StoredEvent[],
): TurnAnswer | SuspendedTurn {
  const stopped = stoppedTurn(session, agent.name, events);
  const { outcome } = stopped;
  return outcome === 'suspended'
    ? { ...stopped, outcome, pending: askingOf(modules.uses)?.pending(events) ?? [] }
    : { ...stopped, outcome };
}

/** The session ends with this process: its only holder keeps it, however long the process is held up. */
const LEASE_MS = 24 * 60 * 60 * 1000;

const newId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16);

function hostOf(declared: Agent, options: RunAgentOptions, port: SessionPort) {
  const { log } = options;
  const env = { ...options.env };
  const app = [declared, ...(options.agents ?? [])];
  const modules = appModules({ ...options, agents: app });
  const inEnv = agentResolver({ modules, agents: app });
  const resolved = (one: Agent): Agent => inEnv?.(one, env) ?? one;
  const modelOf = (make: ModelOfEnv): ChatModel => make(env);
  const ownModel = ({ model, modelOf: make }: Agent): ChatModel | undefined => (make ? modelOf(make) : model);
  const model = options.model ?? ownModel(declared);
  if (model === undefined) throw noModel(declared.name);
  const resolve = (one: Agent): Agent => ({ ...resolved(one), model: ownModel(one) });
  return {
    ...{ port, env, model },
    clock: systemClock,
    modules,
    agent: { ...resolved(declared), model },
    agents: {
      names: app.map(({ name }) => name).toSorted(),
      model,
      modelOf,
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

const noModel = (agent: string): ConfigurationError =>
  new ConfigurationError(
    `Agent '${agent}' has no model. Give it one, or say which one is asked: runAgent(agent, message, { model }).`,
  );
