import { hasBegun } from '../journal/conversation.ts';
import { ROOT } from '../journal/events.ts';
import { toolOf } from '../journal/spending.ts';
import type { CallRecord } from '../journal/state.ts';
import { untilAborted } from '../tool/async.ts';
import type { CallLimit, ReachedLimit } from '../tool/frame.ts';
import { failure, isToolResult, type Signal, type ToolResult } from '../tool/tool-result.ts';
import type { AroundTime } from './around-time.ts';
import { messageOf } from './exception-processor.ts';
import { type LoopSpec, principalOf } from './loop.ts';
import type { CallLimits } from './loop-limits.ts';
import { isSupersededBySignal } from './next-step.ts';
import type { PermittedRun, ToolCallRun } from './tool-call-run.ts';
import { toolNotFound } from './tool-not-found.ts';

/** A call that may run, or what it is answered instead. */
type Permission = { readonly ok: true; readonly run: PermittedRun } | ({ readonly ok: false } & Refused);

/** What a call is answered that is not run. */
interface Refused {
  readonly answer: ToolResult;
  /** It is the call that was beyond this limit. */
  readonly limit?: ReachedLimit;
}

/** Decides whether a call may run, by the loop's policies and limits. */
export async function permitCall(run: ToolCallRun, time: AroundTime): Promise<Permission> {
  const { loop, record, tool, signal } = run;
  const { callLimits, policies } = loop.spec;
  const { turn } = loop.journal.state;
  const isBegun = turn !== undefined && hasBegun(turn, record);
  if (signal && (!isBegun || isSupersededBySignal(run.batch, turn)(record))) {
    return { ok: false, answer: skipped(record.name, signal) };
  }
  if (!tool) {
    return { ok: false, answer: toolNotFound(record.name, run.offer.byName, policies.unknownTools) };
  }
  const permitted = { ...run, tool };
  const refused = overLimit(record, callLimits);
  if (refused) return { ok: false, ...refused };
  const answer = await ineligible(permitted, time);
  return answer ? { ok: false, answer } : { ok: true, run: permitted };
}

const skipped = (tool: string, { reason }: Signal): ToolResult =>
  failure(
    'skipped',
    `Skipped: '${tool}' was not run, since another call of this reply ended the loop: ${reason}`,
  );

/**
 * The answer of a call beyond a limit of its loop, or of one around it. It is decided by the places that the call has
 * there, so that it is the same whenever the turn is resumed.
 */
function overLimit(call: CallRecord, limits: LoopSpec['callLimits']): Refused | undefined {
  const name = toolOf(call);
  const { places = [] } = call;
  for (const { frame, toolCalls, callsPerTool } of limits) {
    const place = places.find((one) => one.frame === frame);
    if (!place) continue;
    const scope = frame === ROOT ? 'turn' : 'task';
    const ofTool = limitOf(name, callsPerTool);
    if (place.ofTool > numberOf(ofTool)) {
      const message = `Tool call limit (${ofTool}) exceeded for tool '${name}'. No further calls to this tool are allowed in this ${scope}.`;
      return {
        answer: failure('limit', message),
        limit: { kind: 'callsPerTool', most: numberOf(ofTool) },
      };
    }
    if (place.calls > numberOf(toolCalls)) {
      const message = `Total tool call limit (${toolCalls}) exceeded for this ${scope}. No further tool calls are allowed.`;
      return {
        answer: failure('limit', message),
        limit: { kind: 'toolCalls', most: numberOf(toolCalls) },
      };
    }
  }
  return undefined;
}

function limitOf(tool: string, limits: CallLimits['callsPerTool']): CallLimit {
  if (typeof limits !== 'object') return limits ?? 'unlimited';
  return (Object.hasOwn(limits, tool) ? limits[tool] : limits['*']) ?? 'unlimited';
}

const numberOf = (limit: CallLimit = 'unlimited'): number =>
  limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit;

/** The answer of a call that the agent's policy does not permit; it is no success, like any refusal. */
async function ineligible(run: PermittedRun, time: AroundTime): Promise<ToolResult | undefined> {
  const { spec } = run.loop;
  const { signal } = run.loop.holder;
  const { isEligible } = spec.policies;
  if (!isEligible) return undefined;
  const principal = principalOf(run.loop);
  const { id, name, input } = meantCall(run);
  try {
    const asked = time.during('isEligible', () => isEligible({ id, name, input }, spec.context, principal));
    const verdict = await untilAborted(signal, Promise.race([asked, time.over]));
    if (isToolResult(verdict)) return verdict;
    if (verdict) return undefined;
    return failure('declined', `Tool '${name}' was not run: this call is not permitted.`);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const why = messageOf(name, thrown);
    return failure(
      'declined',
      `Tool '${name}' was not run: whether it is permitted could not be told: ${why}`,
    );
  }
}

/** A policy judges the tool that would be run, and not the unfolding tool that stands for it. */
const meantCall = ({ tool, input, record }: PermittedRun): Pick<CallRecord, 'id' | 'name' | 'input'> =>
  input ? { id: record.id, name: tool.name, input: JSON.stringify(input) } : record;
