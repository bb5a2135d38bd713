/** An item under a path, or a group of items. */
export type Entry<Item> =
  | { readonly type: 'leaf'; readonly segment: string; readonly item: Item }
  | {
      readonly type: 'group';
      /** The segment of the group, or `first-to-last` for an alphabetical range. */
      readonly segment: string;
      /** The common prefix of all paths inside. */
      readonly prefix: string;
      readonly entries: readonly Entry<Item>[];
    };

interface PathItem {
  readonly path: string;
}

/** The maximum number of entries on a level. */
export const MAX_ENTRIES = 16;
/** The minimum number of entries for a separate level. */
const MIN_GROUP = 3;

/**
 * Groups items by the segments of their paths until no level has more than 16 entries. Splits larger levels
 * into alphabetical ranges, and more items of one path by their order.
 */
export const groupByPath = <Item extends PathItem>(items: readonly Item[]): readonly Entry<Item>[] =>
  groupLevel(items, 0);

function groupLevel<Item extends PathItem>(items: readonly Item[], from: number): readonly Entry<Item>[] {
  const depth = Math.max(from, findCommonSegments(items).length);
  if (items.length <= MAX_ENTRIES) return items.map((item) => toLeaf(item, depth));
  const bySegment = Map.groupBy(items, (item) => getSegment(item, depth));
  const keyed = [...bySegment]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, under]) => groupEntries(key, under, depth).map((entry) => ({ key, entry })));
  return keyed.length <= MAX_ENTRIES
    ? keyed.map(({ entry }) => entry)
    : toRanges(keyed, getCommonPrefix(items)).map(({ entry }) => entry);
}

/** Returns one group, or its entries if they are too few for a group. */
function groupEntries<Item extends PathItem>(
  segment: string,
  items: readonly Item[],
  depth: number,
): readonly Entry<Item>[] {
  if (segment === '' || items.length < MIN_GROUP) return items.map((item) => toLeaf(item, depth));
  const entries = groupLevel(items, depth + 1);
  return entries.length < MIN_GROUP
    ? entries
    : [{ type: 'group', segment, prefix: getCommonPrefix(items), entries }];
}

const toLeaf = <Item extends PathItem>(item: Item, depth: number): Entry<Item> => ({
  type: 'leaf',
  segment: getSegment(item, depth),
  item,
});

/** An entry with the segment by which it is sorted. */
interface KeyedEntry<Item> {
  readonly key: string;
  readonly entry: Entry<Item>;
}

/** Splits the entries of a level into ranges of about equal length, on several levels if necessary. */
function toRanges<Item>(keyed: readonly KeyedEntry<Item>[], prefix: string): readonly KeyedEntry<Item>[] {
  const count = Math.ceil(keyed.length / MAX_ENTRIES);
  const length = Math.ceil(keyed.length / count);
  const groups = Array.from({ length: count }, (_, at): KeyedEntry<Item> => {
    const inside = keyed.slice(at * length, (at + 1) * length);
    const named = inside.map(({ key }) => key).filter((key) => key !== '');
    const segment = `${named[0] ?? ''}-to-${named.at(-1) ?? ''}`;
    const entries = inside.map(({ entry }) => entry);
    return { key: named[0] ?? '', entry: { type: 'group', segment, prefix, entries } };
  });
  return groups.length <= MAX_ENTRIES ? groups : toRanges(groups, prefix);
}

const splitPath = ({ path }: PathItem): readonly string[] =>
  path.split('/').filter((segment) => segment !== '');

/** Returns a segment. It is empty for an item with the path of its group, which thus sorts first. */
const getSegment = (item: PathItem, depth: number): string => splitPath(item)[depth] ?? '';

function findCommonSegments(items: readonly PathItem[]): readonly string[] {
  const [first = [], ...others] = items.map(splitPath);
  const parting = first.findIndex((segment, at) => others.some((other) => other[at] !== segment));
  return parting === -1 ? first : first.slice(0, parting);
}

const getCommonPrefix = (items: readonly PathItem[]): string => `/${findCommonSegments(items).join('/')}`;
