import type { CallRecord } from '../journal/state.ts';
import { parseToolInput } from '../tools/parse-tool-input.ts';
import type { Offer } from './offer-tools.ts';
import { routed } from './routed.ts';

/** What a call has in common with those of its batch that may not meet it; `undefined` when it runs beside all of them. */
export function laneOf(
  call: Pick<CallRecord, 'name' | 'input'>,
  byName: Offer['byName'],
): string | undefined {
  const offered = byName.get(call.name);
  if (!offered) return undefined;
  const { tool, input } = routed(offered, call);
  if (typeof tool.serial !== 'function') return tool.serial;
  const parsed = input ? { ok: true as const, input } : parseToolInput(tool.name, call.input);
  return parsed.ok ? tool.serial(parsed.input) : undefined;
}
