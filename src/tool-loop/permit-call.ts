import { ROOT } from '../journal/events.ts';
import { toolOf } from '../journal/spending.ts';
import { type CallRecord, type FrameState, openBatch, sentResult } from '../journal/state.ts';
import type { CallLimit } from '../tools/limits.ts';
import { failure, type Signal, type ToolResult } from '../tools/tool-result.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import type { CallLimits, Loop } from './loop.ts';
import { messageOf } from './message-of.ts';
import { signalOf } from './next-step.ts';
import type { Offer } from './offer-tools.ts';
import { routed, type Target } from './routed.ts';
import { toolNotFound } from './tool-not-found.ts';

/** The tool of a call that may run, or what the call is answered instead. */
export type Permission =
  | ({ readonly ok: true } & Target)
  | { readonly ok: false; readonly answer: ToolResult };

/** Decides whether a call may run, by the loop's policies and limits. */
export async function permitCall(
  loop: Loop,
  frame: FrameState,
  call: CallRecord,
  { byName }: Offer,
): Promise<Permission> {
  const signal = signalOf(openBatch(frame));
  const begun = call.started || loop.journal.state.turn?.frames.has(call.id) || sentResult(call);
  if (signal && !begun) return { ok: false, answer: skipped(call.name, signal) };
  const offered = byName.get(call.name);
  if (!offered) return { ok: false, answer: toolNotFound(call.name, byName, loop.policies.unknownTools) };
  const target = routed(offered, call);
  const answer = overLimit(call, loop.callLimits) ?? (await ineligible(loop, meantFor(target, call)));
  return answer ? { ok: false, answer } : { ok: true, ...target };
}

/** A policy judges what would be run, and not the facade that stands for it. */
const meantFor = ({ tool, input }: Target, { id, name, input: sent }: CallRecord): MeantCall =>
  input ? { id, name: tool.name, input: JSON.stringify(input) } : { id, name, input: sent };

type MeantCall = Pick<CallRecord, 'id' | 'name' | 'input'>;

const skipped = (tool: string, { reason }: Signal): ToolResult =>
  failure(
    'skipped',
    `Skipped: '${tool}' was not run, since another call of this reply ended the loop: ${reason}`,
  );

/**
 * The answer of a call beyond a limit of its loop, or of one around it (SPM-13). By its places there, so that it is the
 * same on every resume.
 */
function overLimit(call: CallRecord, limits: Loop['callLimits']): ToolResult | undefined {
  const name = toolOf(call);
  const { places = [] } = call;
  for (const { frame, toolCalls, callsPerTool } of limits) {
    const place = places.find((one) => one.frame === frame);
    if (!place) continue;
    const scope = frame === ROOT ? 'turn' : 'task';
    const ofTool = limitOf(name, callsPerTool);
    if (place.ofTool > numberOf(ofTool)) {
      return failure(
        'limit',
        `Tool call limit (${ofTool}) exceeded for tool '${name}'. No further calls to this tool are allowed in this ${scope}.`,
      );
    }
    if (place.calls > numberOf(toolCalls)) {
      return failure(
        'limit',
        `Total tool call limit (${toolCalls}) exceeded for this ${scope}. No further tool calls are allowed.`,
      );
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

/** The answer of a call that the agent's policy does not permit (SPM-08). For folds it is no success, as any refusal. */
async function ineligible(
  { policies: { isEligible }, context, invocation: { signal } }: Loop,
  { id, name, input }: MeantCall,
): Promise<ToolResult | undefined> {
  if (!isEligible) return undefined;
  const ask = async (): Promise<boolean> => isEligible({ id, name, input }, context);
  try {
    if (await untilAborted(signal, ask())) return undefined;
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
