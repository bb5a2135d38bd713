import type { CallRecord } from '../journal/state.ts';
import type { JsonObject } from '../tools/json.ts';
import { parseToolInput } from '../tools/parse-tool-input.ts';
import type { AnyTool } from '../tools/tool.ts';

/** The tool that a call is meant for, with the input that is meant for it when that is not the call's own. */
export interface Target {
  readonly tool: AnyTool;
  readonly input?: JsonObject | undefined;
}

/** Follows `route`: a facade may stand for a tool behind it (UNF-26). */
export function routed(tool: AnyTool, { input: sent }: Pick<CallRecord, 'input'>): Target {
  if (!tool.route) return { tool };
  const parsed = parseToolInput(tool.name, sent);
  return (parsed.ok && tool.route(parsed.input)) || { tool };
}
