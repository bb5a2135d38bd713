import { hasBegun } from '../journal/conversation.ts';
import { ROOT } from '../journal/events.ts';
import { sumTokens } from '../journal/spending.ts';
import { roundUsd } from '../model/prices.ts';
import type { CallContext, HistoryMessage } from '../tool/call.ts';
import { CALL_ORIGINS } from '../tool/call-origin.ts';
import type { BudgetView, ProcessView } from '../tool/frame.ts';
import type { CallRun } from '../tool/tool.ts';
import { getPrincipal, type Loop } from './loop.ts';
import { formatMissingFilesModuleMessage } from './loop-files.ts';
import { type LimitUse, LOOPS } from './loop-seams.ts';
import { applyStrategies, createLoopView, type Offer } from './offer-tools.ts';
import { runExecution } from './run-effect.ts';
import type { RunningCall } from './running-call.ts';
import { toHistory, toShownHistory } from './shown-history.ts';

/** Makes the object that a call's tool, decorators and modules receive. `turnKey`: the digest of its turn. */
export function toCallRun(call: RunningCall, offer: Offer, turnKey: string): CallRun {
  const { loop, record, view, time } = call;
  const { turn } = loop.journal.state;
  const context = createCallContext(call, turnKey);
  const run: CallRun = {
    ...context,
    asked: record,
    view: createLoopView(loop, 'last-reply', view.recall),
    offered: () => [...offer.byName.values()],
    offeredAfter: (memory, fact) =>
      applyStrategies(loop, createLoopView(loop, 'last-reply', view.recallAfter(memory, fact))),
    hasBegun: turn !== undefined && hasBegun(turn, record),
    inLoop: call,
    during: time.during,
    untimed: time.outside,
    async execute(effect) {
      call.enter();
      call.ranOnce = effect.effect === 'once';
      const ran = time.outside(() => runExecution({ call, run, context, effect }));
      call.answer = async () => (await ran).result;
      try {
        const { result, ms } = await ran;
        call.ms = ms;
        call.signal = result.signal;
        return result;
      } finally {
        call.leave();
      }
    },
    async ask(question) {
      if (call.ranOnce) throw new Error(`Tool '${record.name}' cannot ask after it has run. Ask before.`);
      const answer = await context.ask(question);
      call.isSupplied ||= question.for === 'result';
      return answer;
    },
  };
  return run;
}

/** The number of characters of the turn's key in the keys of its calls: 128 bits. */
const TURN_KEY_LENGTH = 32;

/** Makes the context that every tool and decorator receives. */
function createCallContext(call: RunningCall, turnKey: string): CallContext {
  const { loop, record, view, tool, starts } = call;
  return {
    id: record.id,
    tool: tool.name,
    session: loop.session,
    agent: loop.agent,
    context: loop.spec.context,
    principal: getPrincipal(loop),
    signal: loop.holder.signal,
    state: view.state,
    blackboard: view.blackboard,
    secrets: loop.secrets,
    log: loop.log,
    // Messages that the call sends to other sessions belong to its tree of turns.
    env: starts ? CALL_ORIGINS.envOfCall(loop.env, starts) : loop.env,
    inSession: loop.inSession,
    origin: starts,
    process: createProcessView(loop),
    // Only a reader of the session can compute the first part, and it does not reveal other turns.
    idempotencyKey: `${turnKey.slice(0, TURN_KEY_LENGTH)}${record.id.replace(loop.turn, '')}`,
    startedAt: view.now(),
    now: view.now,
    record: view.record,
    recall: view.recallNow,
    progress: (status) => loop.live.progress(record.id, loop.secrets.redact(status)),
    say: view.say,
    async file(id) {
      if (loop.files) return loop.files.find(id);
      throw new TypeError(formatMissingFilesModuleMessage('`call.file`'));
    },
    history: () => getCallHistory(loop),
    ask: async (question) => call.asking.ask(question),
    checkpoint: () => record.waits && call.asking.checkpoint(),
  };
}

/**
 * Returns the history that the model was shown when it made the call, plus the reply with the call. It is a
 * copy, so that a tool cannot change the journal's state.
 */
const getCallHistory = (loop: Loop): readonly HistoryMessage[] => {
  const { messages } = loop.frame;
  return structuredClone([...toShownHistory(loop, messages.slice(0, -1)), ...toHistory(messages.slice(-1))]);
};

/**
 * Returns the turn as a call of this loop sees it. Each part is read from the current state on access. Only
 * memory is read as of the reply that made the call, like all else that a call sees.
 */
function createProcessView(loop: Loop): ProcessView | undefined {
  if (!loop.inSession) return undefined;
  const { turn, journal, holder, startedAt } = loop;
  const frame = loop.frame.id;
  const { turn: state } = journal.state;
  const parent = state?.frames.get(frame)?.parent ?? turn;
  return {
    id: frame === ROOT ? turn : frame,
    parent: frame === ROOT ? undefined : parent,
    goal: loop.spec.output?.format?.name,
    get runningMs() {
      // The two times come from clocks that can differ.
      return Math.max(0, holder.now() - startedAt);
    },
    get budget() {
      return {
        cost: getBudget(loop, 'cost'),
        tokens: getBudget(loop, 'tokens'),
        toolCalls: getBudget(loop, 'toolCalls'),
      };
    },
    get used() {
      const { cost = 0, ...told } = state?.usage ?? { inputTokens: 0, outputTokens: 0, cost: 0 };
      const [toolCalls, modelCalls] = [state?.toolCalls ?? 0, state?.iterations ?? 0];
      return { tokens: sumTokens(told), cost, toolCalls, modelCalls, ...told };
    },
    recall: (memory) => {
      const { seen, path } = state?.frames.get(frame) ?? {};
      return loop.memories.of(memory).valueIn(seen?.memories ?? new Map(), memory, path ?? '');
    },
  };
}

/** Returns the limit of a kind with the least remaining. */
function getBudget(loop: Loop, of: LimitUse['kind']): BudgetView | undefined {
  let least: BudgetView | undefined;
  for (const { use, frame } of loop.spec.uses) {
    for (const { kind, most: limit, used } of LOOPS.of(use)?.limits?.(loop, frame) ?? []) {
      const remaining = Math.max(0, roundUsd(limit - used));
      if (kind === of && (!least || remaining < least.remaining)) least = { limit, used, remaining };
    }
  }
  return least;
}
