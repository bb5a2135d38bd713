import type { Agent } from '../../agent/define-agent.ts';
import type { Principal } from '../../journal/events.ts';
import type { Modules } from '../../loop/modules.ts';
import type { ChatModel, ModelMessage, ModelRequest } from '../../model/chat-model.ts';
import type { Prices } from '../../model/prices.ts';
import type { Answer, TurnPrincipal } from '../../tool/call.ts';
import type { GivenEnv } from '../../tool/env.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { TestDecision } from '../post-to-session.ts';
import { checkReplies, resolveReply, type ScriptedReply, toReply } from '../scripted-model.ts';
import type { CrashKit } from './effects.ts';

/** The agent under test, and the other agents of its app. */
export type App = readonly [Agent, ...Agent[]];

/** The subject of a crash matrix: its agents, and the script for the first agent. */
export interface Subject<World = unknown> {
  /** Creates the agents, with their tool groups, for every invocation. */
  app(kit: CrashKit<World>, env: GivenEnv): App;
  /** Adds tool groups to an agent that another agent delegates to. By default, the agent stays unchanged. */
  resolve?(agent: Agent, env: GivenEnv): Agent;
  /** Returns the modules of an app with these agents. */
  modules(agents: App): Modules;
  readonly script: CrashScript;
  /** Whether the tools themselves or the matrix reconcile a run that was cut off. */
  readonly reconciles: 'own' | 'simulated';
  /** Creates the world for every play. */
  world(): World;
  /** Creates the environment for every play, from its world. */
  env(world: World): GivenEnv;
  /** The default principal of messages. */
  readonly principal?: TurnPrincipal | undefined;
  /** The context of every message. */
  readonly context?: ToolCallContext | undefined;
  readonly secrets?: ((principal: Principal) => Secrets | Promise<Secrets>) | undefined;
  /** The prices for agents with a cost limit whose own model has none. */
  readonly prices?: Prices | undefined;
}

/** The model's replies to one message, in order. */
export interface ScriptedExchange {
  /**
   * A part of the message. An exact match takes precedence over a part, and an earlier exchange over a later
   * one.
   */
  readonly to: string;
  /** A reply function must depend only on its request, since a lost reply is requested again. */
  readonly replies: readonly ScriptedReply[];
}

/**
 * A message or cancel that arrives during the first `run` of a tool. It arrives exactly once, even if the run
 * is repeated.
 */
export type ArrivalDuringRun = { readonly during: string } & (
  | {
      readonly send: string;
      readonly whenBusy: 'queue' | 'steer';
      /** The sender. Defaults to the principal of the matrix. */
      readonly principal?: TurnPrincipal | undefined;
      readonly replies?: readonly ScriptedReply[] | undefined;
    }
  | { readonly cancel: true }
);

/** The user's next action, after all running turns have stopped. */
export type CrashStep =
  | {
      readonly send: string;
      /** The sender, which is `call.principal` of the turn. Defaults to the principal of the matrix. */
      readonly principal?: TurnPrincipal | undefined;
      readonly replies?: readonly ScriptedReply[] | undefined;
      readonly meanwhile?: readonly ArrivalDuringRun[] | undefined;
    }
  /** Waits this many milliseconds, so that scheduled work runs. */
  | { readonly wait: number }
  /** Decides the waiting call of this tool. */
  | { readonly decide: string; readonly as: TestDecision }
  /** Sends the result of the waiting call of this tool. */
  | { readonly result: string; readonly as: Answer<'result'> };

/** The messages to the agent and its model's replies, which are the same in every play. */
export interface CrashScript {
  readonly steps: readonly CrashStep[];
  /** Replies to messages that no step sends: those that open nested loops, and those that the loop adds. */
  readonly replies?: readonly ScriptedExchange[] | undefined;
}

const STEP_KEYS: Readonly<Record<string, readonly string[]>> = {
  send: ['send', 'principal', 'replies', 'meanwhile'],
  wait: ['wait'],
  decide: ['decide', 'as'],
  result: ['result', 'as'],
};

/**
 * Checks a script, since callers without types can pass any value. @throws TypeError with the correct format
 * if the script is invalid.
 */
export function checkScript(script: unknown): void {
  const { steps, replies = [] }: Readonly<Record<string, unknown>> = Object(script);
  if (!Array.isArray(steps))
    throw new TypeError(
      "The script of crashMatrix has no list of steps. Use { steps: [{ send: 'Go.', replies: ['Gone.'] }] }.",
    );
  steps.forEach((step: unknown, at) => {
    const known = Object.entries(STEP_KEYS).find(([kind]) => kind in Object(step))?.[1];
    const stranger = Object.keys(Object(step)).find((key) => !known?.includes(key));
    if (known && stranger === undefined) return;
    const use = known ? known.join(', ') : '{ send }, { wait }, { decide, as } or { result, as }';
    throw new TypeError(
      `steps[${at}] of the script is ${stranger === undefined ? 'not a step' : `a step with '${stranger}'`}. Use ${use}.`,
    );
  });
  for (const [at, step] of steps.entries())
    if (step.replies) checkReplies(step.replies, `steps[${at}].replies`);
  if (!Array.isArray(replies))
    throw new TypeError(
      "The script of crashMatrix has replies that are not a list. Use [{ to: 'Dig.', replies: ['Dug.'] }].",
    );
}

/**
 * Returns whether cancels or steering messages arrive during a turn. A disturbance can change when they are
 * received, and so the course of the script. The expectations are then derived from the play's own journal.
 */
export const isOpenEnded = ({ steps }: CrashScript): boolean =>
  steps.some(
    (step) =>
      'send' in step && step.meanwhile?.some((one) => 'cancel' in one || one.whenBusy === 'steer') === true,
  );

/** The reply to a request for which the script has no reply. The play then differs from the intended play. */
export const OFF_SCRIPT_REPLY = 'The script is over.';

/** All replies of the model in a script. */
export const listExchanges = ({ steps, replies = [] }: CrashScript): readonly ScriptedExchange[] => [
  ...steps
    .flatMap((step) => ('send' in step ? [step, ...(step.meanwhile ?? [])] : []))
    .flatMap((sent): ScriptedExchange[] =>
      'send' in sent && sent.replies ? [{ to: sent.send, replies: sent.replies }] : [],
    ),
  ...replies,
];

/**
 * Creates a model whose replies depend only on the conversation so far, so a repeated request gets the same
 * reply. `missed` receives a description of each reply that the script does not have.
 */
export const createScriptModel = (
  exchanges: readonly ScriptedExchange[],
  missed: (what: string) => void = () => {},
): ChatModel => ({
  name: 'script',
  async ask(request, { signal }) {
    const { reply, place } = findReply(exchanges, request, missed);
    const usage = { inputTokens: request.messages.length, outputTokens: 3 };
    return toReply(await resolveReply(reply, request, signal), { id: `p${place}-`, usage });
  },
});

/** Returns the script's reply to a request, with its place in the script. */
function findReply(
  exchanges: readonly ScriptedExchange[],
  { messages }: ModelRequest,
  missed: (what: string) => void,
): { readonly reply: ScriptedReply; readonly place: string } {
  const begins = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[begins]?.text ?? '';
  const position = messages.slice(begins).filter(({ role }) => role === 'assistant').length;
  const played = findExchangeIndex(exchanges, messages.slice(0, begins), asked);
  const scripted = exchanges[played]?.replies[position];
  if (scripted === undefined) missed(`reply ${position + 1} to '${asked.slice(0, MAX_QUOTED_CHARACTERS)}'`);
  return { reply: scripted ?? OFF_SCRIPT_REPLY, place: `${played}-${position}` };
}

const MAX_QUOTED_CHARACTERS = 80;

/**
 * Returns the index of the exchange to play: an exact match for this message, or else the first match for a
 * part of it. If several exchanges have the same `to`, each repetition of a message uses the next one.
 */
function findExchangeIndex(
  exchanges: readonly ScriptedExchange[],
  earlier: readonly ModelMessage[],
  asked: string,
): number {
  const isExact = exchanges.some(({ to }) => to === asked);
  const isMatch = (text: string, to: string): boolean => (isExact ? text === to : text.includes(to));
  const to = exchanges.find((exchange) => isMatch(asked, exchange.to))?.to;
  if (to === undefined) return -1;
  const same = exchanges.flatMap((exchange, index) => (exchange.to === to ? index : []));
  const before = earlier.filter(({ role, text }) => role === 'user' && isMatch(text, to)).length;
  return same[Math.min(before, same.length - 1)] ?? -1;
}
