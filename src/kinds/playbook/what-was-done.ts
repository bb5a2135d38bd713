import type { DomainType } from '../../tool/domain-type.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { holds, type Lock } from './lock.ts';
import type { Counts, PlaybookFact, StoredProgress } from './playbook-progress.ts';
import type { PlaybookRun } from './playbook-run.ts';
import { conditionsIn, type ProducedArtifact } from './unlock-condition.ts';

/** Names counted one by one beside those that conditions name: instances of a domain type bring tools with names of their own. */
const MAX_COUNTED = 200;

/** A call that succeeded. */
interface Done {
  /** Under which it counts. */
  readonly names: readonly string[];
  readonly result: ToolResult;
}

/** What a successful call adds to the progress that was there. */
export function whatWasDone(
  { names, result }: Done,
  { tools, artifacts, met }: StoredProgress,
  { locks, own, key }: PlaybookRun,
): PlaybookFact {
  const types = typesIn(locks);
  const items = itemsOf(result).filter((item) => isWhatItSays(item, types));
  const type = items[0]?.type;
  const newlyMet = locks.flatMap((lock) => metBy(items, lock)).filter((id) => !met.includes(id));
  return {
    type: 'used',
    key,
    tools: names.filter((name) => isCounted(name, tools, own)),
    ...(type !== undefined &&
      isCounted(type, artifacts, types) && { artifacts: { type, count: items.length } }),
    ...(newlyMet.length > 0 && { met: newlyMet }),
  };
}

/** A list is taken item by item, never whole (PLY-06). */
function itemsOf(result: ToolResult): readonly ProducedArtifact[] {
  if (result.type !== 'artifact') return [];
  const { value, artifactType: type } = result;
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (type === undefined ? { value: item } : { type, value: item }));
}

/** The domain types that conditions ask for, by name. */
const typesIn = (locks: readonly Lock[]): ReadonlyMap<string, DomainType> =>
  new Map(
    locks
      .flatMap(({ condition }) => conditionsIn(condition))
      .flatMap((one) => ('of' in one && one.of ? [[one.of.name, one.of] as const] : [])),
  );

/** What a type's own schema refuses is no artifact of that type. */
const isWhatItSays = ({ type, value }: ProducedArtifact, types: ReadonlyMap<string, DomainType>): boolean =>
  types.get(type ?? '')?.parse(value).ok !== false;

const isCounted = (name: string, counts: Counts, needed: { has(name: string): boolean }): boolean =>
  needed.has(name) || Object.hasOwn(counts, name) || Object.keys(counts).length < MAX_COUNTED;

/** The conditions of a lock that one of these artifacts meets. */
const metBy = (items: readonly ProducedArtifact[], { tool, ids }: Lock): readonly string[] =>
  [...ids].flatMap(([condition, id]) =>
    condition.type === 'artifact-matching' &&
    items.some((item) => holds(tool, (yes) => yes(condition.accepts, item)))
      ? [id]
      : [],
  );
