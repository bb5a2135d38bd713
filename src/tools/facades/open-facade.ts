import type { Json, JsonObject } from '../json.ts';
import { error, text } from '../results.ts';
import { sameJson } from '../same-json.ts';
import type { AnyTool, ToolInvocation } from '../tool.ts';
import { type ToolResult, withheld } from '../tool-result.ts';
import { broughtBy, originOf } from './brought.ts';
import { type Brings, type Facade, facadeIn } from './facade.ts';
import { listingText, openedText } from './facade-texts.ts';
import { categoryOf, innerTools } from './inner-tools.ts';
import { OPENINGS, type OpeningFact, openingsIn } from './openings.ts';

/**
 * Answers a call of a facade: names the tools that are offered for it from now on, and remembers that it is open. When it
 * is open already, with the same input, it lists its tools and changes nothing.
 *
 * The tools are named as the loop is going to offer them, since it is asked for just that.
 *
 * @throws what the code of the facade throws.
 */
export async function openFacade(input: Json, invocation: ToolInvocation): Promise<ToolResult> {
  const { tool: name, view } = invocation;
  const own = invocation.offered().find((one) => one.name === name);
  const facade = own && facadeIn(own);
  if (!facade) return hidden(name);
  const prepared = await facade.prepare?.(invocation);
  if (typeof prepared === 'string') return withheld(prepared);
  const notes = [facade.notes ?? [], prepared?.remark ?? []].flat().join('\n\n') || undefined;
  // Those of the moment are asked for with what `prepare` has found out, when the loop is.
  const isPrepared = facade.prepare !== undefined;
  const tools = isPrepared ? [] : innerTools(facade.brings, { call: invocation.id, input }, view);
  if (tools.length === 0 && !isPrepared) return nothing(name, facade);
  const fact = openingFact(own, facade, { input, tools });
  const known = openingsIn(view.recall(OPENINGS), view).find(
    (one) => one.facade === name && one.under === fact.under,
  );
  const offered = broughtBy(invocation.offeredAfter(OPENINGS, fact), name);
  const isAsked = isPrepared && facade.brings.by === 'moment';
  if (offered.length === 0) return isAsked ? nothing(name, facade) : shut(name);
  if (known && sameJson(known.input, fact.input)) return text(listingText(name, offered, notes));
  invocation.record(OPENINGS, fact);
  return text(openedText(offered, notes));
}

interface OpenedWith {
  readonly input: Json;
  readonly tools: readonly AnyTool[];
}

/** What there is to remember: as little as makes the same tools again. */
export function openingFact(
  offered: AnyTool,
  { brings, scope }: Facade,
  { input, tools }: OpenedWith,
): OpeningFact {
  const under = originOf(offered)?.by[0]?.name;
  return {
    facade: offered.name,
    ...(under !== undefined && { under }),
    ...(scope === 'session' && { scope }),
    ...(brings.by === 'category' && { input: categoryIn(input, brings) }),
    ...(brings.by === 'selection' && { input, names: tools.map((one) => one.name) }),
  };
}

/** Every unknown category is the same one: all tools. */
function categoryIn(input: Json, brings: Extract<Brings, { by: 'category' }>): JsonObject {
  const category = categoryOf(brings, input);
  return category === undefined ? {} : { [brings.parameter]: category };
}

/** The facade is under a wrapper that says neither that it is one nor what it wraps (UNF-30). */
function hidden(name: string): ToolResult {
  console.warn(
    `holdfast: the facade '${name}' cannot unfold: what wraps it has no delegate, or it is called in no loop that offers it`,
  );
  return error(`Tool '${name}' cannot show its tools here. Do not call it again; go on without it.`);
}

/** Nothing to offer in its place, so it stays (UNF-08). */
function nothing(name: string, { brings }: Facade): ToolResult {
  if (brings.by === 'moment') {
    return withheld(`Tool '${name}' has no tools now. It stays available; they may be there later.`);
  }
  console.warn(`holdfast: the facade '${name}' has no tools for the input of a call`);
  return withheld(
    `Tool '${name}': no tools for that selection. Nothing has changed; call it again with another input.`,
  );
}

/** Another call of the batch has taken it away, or a strategy has. */
const shut = (name: string): ToolResult =>
  withheld(
    `Tool '${name}' cannot be opened any more: its tools are not available beside those you have now.`,
  );
