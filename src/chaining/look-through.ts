import type { LoopView } from '../tools/injection.ts';
import type { ParsedInput } from '../tools/input-schema.ts';
import type { Json } from '../tools/json.ts';
import type { FoundObject } from './bindings.ts';
import type { DiscoveredType } from './discover.ts';

/** What is found in what a call returned. */
export interface LookedThrough {
  /** Those whose tools are offered, in source order, each id once. */
  readonly objects: readonly FoundObject[];
  /** The ids of those for whose tools there is no room. */
  readonly left: readonly string[];
  /** What is wrong with others, and how often: they are left out, and the result stands (TPR-05). */
  readonly problems: ReadonlyMap<string, number>;
}

/** An object of the type that is accepted. */
interface Candidate {
  readonly at: number;
  readonly id: string;
  readonly value: Json;
}

type Report = (problem: string) => void;

/** Looks at every element of a list, or at what was returned by itself (TPR-04). Where not all have room, the last ones have. */
export function lookThrough(discovered: DiscoveredType, value: Json, view: LoopView): LookedThrough {
  const problems = new Map<string, number>();
  const report: Report = (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const candidates = candidatesIn(discovered, value, view, report);
  return { ...fitted(discovered, candidates, report), problems };
}

/** From the last to the first. */
function candidatesIn(
  { type, accepts }: DiscoveredType,
  value: Json,
  view: LoopView,
  report: Report,
): readonly Candidate[] {
  const elements = Array.isArray(value) ? value.map((one, at) => ({ at, value: one })) : [{ at: -1, value }];
  const byId = new Map<string, Candidate>();
  for (const element of elements.toReversed()) {
    const id = element.value === null ? undefined : readOr(type.objects.idOf(element.value), report);
    if (id === undefined || !accepts(element.value, view)) continue;
    if (byId.has(id)) report(`a later object of domain type '${type.name}' has the same id`);
    else byId.set(id, { ...element, id });
  }
  return [...byId.values()];
}

/** Takes objects as long as all their tools have room; the first in any case. Later ones are not even made. */
function fitted(
  { type, max }: DiscoveredType,
  candidates: readonly Candidate[],
  report: Report,
): Pick<LookedThrough, 'objects' | 'left'> {
  const objects: FoundObject[] = [];
  const left: string[] = [];
  let room = max;
  for (const { at, id, value } of candidates) {
    const tools = room > 0 ? readOr(type.objects.toolsOf(value), report) : undefined;
    const names = tools?.map(({ name }) => name).slice(0, max) ?? [];
    if (room === 0 || names.length > room) {
      left.push(id);
      room = 0;
    } else if (names.length > 0) {
      objects.push({ at, id, tools: names });
      room -= names.length;
    }
  }
  return { objects: objects.toReversed(), left: left.toReversed() };
}

function readOr<Value>(read: ParsedInput<Value>, report: Report): Value | undefined {
  if (read.ok) return read.value;
  report(read.problems.join(' '));
  return undefined;
}
