import { hasBegun } from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import { untilAborted } from '../tool/async.ts';
import { failure, isToolResult, type Signal, type ToolResult } from '../tool/tool-result.ts';
import type { AroundTime } from './around-time.ts';
import { messageOf } from './exception-processor.ts';
import { principalOf } from './loop.ts';
import { isSupersededBySignal } from './next-step.ts';
import type { PermittedRun, ToolCallRun } from './tool-call-run.ts';
import { toolNotFound } from './tool-not-found.ts';

/** A call that may run, or what it is answered instead. */
type Permission =
  | { readonly ok: true; readonly run: PermittedRun }
  | { readonly ok: false; readonly answer: ToolResult };

/**
 * Decides whether a call is run: not if another one has ended the loop, its tool is not offered, or the
 * agent's policy does not permit it.
 */
export async function permitCall(run: ToolCallRun, time: AroundTime): Promise<Permission> {
  const { loop, record, tool, signal } = run;
  const { policies } = loop.spec;
  const { turn } = loop.journal.state;
  const isBegun = turn !== undefined && hasBegun(turn, record);
  if (signal && (!isBegun || isSupersededBySignal(run.batch, turn)(record))) {
    return { ok: false, answer: skipped(record.name, signal) };
  }
  if (!tool) {
    return { ok: false, answer: toolNotFound(record.name, run.offer.byName, policies.unknownTools) };
  }
  const permitted = { ...run, tool };
  const answer = await ineligible(permitted, time);
  return answer ? { ok: false, answer } : { ok: true, run: permitted };
}

const skipped = (tool: string, { reason }: Signal): ToolResult =>
  failure(
    'skipped',
    `Skipped: '${tool}' was not run, since another call of this reply ended the loop: ${reason}`,
  );

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
