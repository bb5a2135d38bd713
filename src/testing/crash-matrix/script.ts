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
import { checkReplies, plainOf, type ScriptedReply, toReply } from '../scripted-model.ts';
import type { CrashKit } from './effects.ts';

/** The agent that is talked to, and the others of its app. */
export type App = readonly [Agent, ...Agent[]];

/** What a crash matrix is about: agents, and what is said to the first of them. */
export interface Subject<World = unknown> {
  /** Made anew for every invocation, as code is; with their tool groups. */
  app(kit: CrashKit<World>, env: GivenEnv): App;
  /** Gives tool groups to an agent that others bring along; as it is unless given. */
  resolve?(agent: Agent, env: GivenEnv): Agent;
  /** Those of an app with these agents. */
  modules(agents: App): Modules;
  readonly script: CrashScript;
  /** Who answers what became of a run that was cut off: the tools, or whoever saw them run. */
  readonly reconciles: 'own' | 'simulated';
  /** Made anew for every play. */
  world(): World;
  /** Made anew for every play, of its world. */
  env(world: World): GivenEnv;
  /** Who sends messages that say nothing else. */
  readonly principal?: TurnPrincipal | undefined;
  /** Of every message. */
  readonly context?: ToolCallContext | undefined;
  readonly secrets?: ((principal: Principal) => Secrets | Promise<Secrets>) | undefined;
  /** Of models, for agents with a cost limit whose own has none. */
  readonly prices?: Prices | undefined;
}

/** What a model replies to one message, in order. */
export interface ScriptedExchange {
  /** Part of the message. Of several that fit, the first is played. */
  readonly to: string;
  /** A function must depend on its request alone, since a reply that was lost is asked for again. */
  readonly replies: readonly ScriptedReply[];
}

/** What comes while a turn runs: in the first `run` of a tool. One that may run again is sure to be there once. */
export type Meanwhile = { readonly during: string } & (
  | {
      readonly send: string;
      readonly whenBusy: 'queue' | 'steer';
      /** Who sends it. Defaults to that of the matrix. */
      readonly principal?: TurnPrincipal | undefined;
      readonly replies?: readonly ScriptedReply[] | undefined;
    }
  | { readonly cancel: true }
);

/** What the user does next, once every turn that runs has stopped. */
export type CrashStep =
  /** Sends a message. `replies`: what the model replies to it. */
  | {
      readonly send: string;
      /** Who sends it: `call.principal` of its turn. Defaults to that of the matrix. */
      readonly principal?: TurnPrincipal | undefined;
      readonly replies?: readonly ScriptedReply[] | undefined;
      readonly meanwhile?: readonly Meanwhile[] | undefined;
    }
  /** Waits so many milliseconds, for what is scheduled. */
  | { readonly wait: number }
  /** Decides about the call that waits under this tool's name. */
  | { readonly decide: string; readonly as: TestDecision }
  /** Sends the result of the call that waits under this tool's name. */
  | { readonly result: string; readonly as: Answer<'result'> };

/** What is said to the agent, and what its model replies: the same whenever it is played. */
export interface CrashScript {
  readonly steps: readonly CrashStep[];
  /** Replies to messages that no step sends: those that open nested loops, and what a loop says by itself. */
  readonly replies?: readonly ScriptedExchange[] | undefined;
}

const STEPS: Readonly<Record<string, readonly string[]>> = {
  send: ['send', 'principal', 'replies', 'meanwhile'],
  wait: ['wait'],
  decide: ['decide', 'as'],
  result: ['result', 'as'],
};

/** @throws TypeError if this is no script, with what to write: callers without types may give anything. */
export function checkScript(script: unknown): void {
  const { steps, replies = [] }: Readonly<Record<string, unknown>> = Object(script);
  if (!Array.isArray(steps))
    throw new TypeError(
      "The script of crashMatrix has no list of steps: use { steps: [{ send: 'Go.', replies: ['Gone.'] }] }.",
    );
  steps.forEach((step: unknown, at) => {
    const known = Object.entries(STEPS).find(([kind]) => kind in Object(step))?.[1];
    const stranger = Object.keys(Object(step)).find((key) => !known?.includes(key));
    if (known && stranger === undefined) return;
    const use = known ? known.join(', ') : '{ send }, { wait }, { decide, as } or { result, as }';
    throw new TypeError(
      `steps[${at}] of the script is ${stranger === undefined ? 'no step' : `a step with '${stranger}'`}: use ${use}.`,
    );
  });
  for (const [at, step] of steps.entries())
    if (step.replies) checkReplies(step.replies, `steps[${at}].replies`);
  if (!Array.isArray(replies))
    throw new TypeError(
      "The script of crashMatrix has replies that are no list: use [{ to: 'Dig.', replies: ['Dug.'] }].",
    );
}

/**
 * Tells whether something comes from outside while a turn runs. When disturbed, that is taken in at another position, so
 * the script may go another way: what becomes of it is measured by itself.
 */
export const isOpenEnded = ({ steps }: CrashScript): boolean =>
  steps.some(
    (step) =>
      'send' in step && step.meanwhile?.some((one) => 'cancel' in one || one.whenBusy === 'steer') === true,
  );

/** The words of a model that was asked for more than its script has: a play then differs from what was meant. */
export const OFF_SCRIPT = 'The script is over.';

/** All that the model says in a script. */
export const exchangesOf = ({ steps, replies = [] }: CrashScript): readonly ScriptedExchange[] => [
  ...steps
    .flatMap((step) => ('send' in step ? [step, ...(step.meanwhile ?? [])] : []))
    .flatMap((sent): ScriptedExchange[] =>
      'send' in sent && sent.replies ? [{ to: sent.send, replies: sent.replies }] : [],
    ),
  ...replies,
];

/**
 * Answers by what was said so far, and by nothing else: a request that is repeated gets the same reply. `missed` is told
 * of what the script has no reply to.
 */
export const modelOf = (
  exchanges: readonly ScriptedExchange[],
  missed: (what: string) => void = () => {},
): ChatModel => ({
  name: 'script',
  async ask(request, { signal }) {
    const { reply, place } = replyTo(exchanges, request, missed);
    const usage = { inputTokens: request.messages.length, outputTokens: 3 };
    return toReply(await plainOf(reply, request, signal), { id: `p${place}-`, usage });
  },
});

/** The reply of a script to a request, and its place in the script. */
function replyTo(
  exchanges: readonly ScriptedExchange[],
  { messages }: ModelRequest,
  missed: (what: string) => void,
): { readonly reply: ScriptedReply; readonly place: string } {
  const begins = messages.findLastIndex(({ role }) => role === 'user');
  const asked = messages[begins]?.text ?? '';
  const position = messages.slice(begins).filter(({ role }) => role === 'assistant').length;
  const played = exchangeFor(exchanges, messages.slice(0, begins), asked);
  const scripted = exchanges[played]?.replies[position];
  if (scripted === undefined) missed(`reply ${position + 1} to '${asked.slice(0, MAX_QUOTED)}'`);
  return { reply: scripted ?? OFF_SCRIPT, place: `${played}-${position}` };
}

const MAX_QUOTED = 80;

/**
 * Which exchange is played: one for just this message, or else the first for a part of it. Of several for the same, a
 * message that is sent again has the next one.
 */
function exchangeFor(
  exchanges: readonly ScriptedExchange[],
  earlier: readonly ModelMessage[],
  asked: string,
): number {
  const isExact = exchanges.some(({ to }) => to === asked);
  const fits = (text: string, to: string): boolean => (isExact ? text === to : text.includes(to));
  const to = exchanges.find((exchange) => fits(asked, exchange.to))?.to;
  if (to === undefined) return -1;
  const same = exchanges.flatMap((exchange, index) => (exchange.to === to ? index : []));
  const before = earlier.filter(({ role, text }) => role === 'user' && fits(text, to)).length;
  return same[Math.min(before, same.length - 1)] ?? -1;
}
