/** A dependency between two files, or between two folders whose files import each other in this direction. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the shortest circle through each name that is part of one, without duplicates: `['a', 'b']` for `a
 * -> b -> a`. A circle starts with its alphabetically first name. The list is empty only if there are no
 * circles. An arrow from a name to itself is not a circle.
 */
export function findCircles(arrows: readonly Arrow[]): string[][] {
  const known = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    if (from !== to) known.set(from, (known.get(from) ?? new Set()).add(to));
  }
  const circles = new Map<string, string[]>();
  for (const name of [...known.keys()].sort()) {
    const circle = findShortestBack(known, name);
    if (circle) circles.set(circle.join(' '), circle);
  }
  return [...circles.values()].sort((a, b) => a.length - b.length || (a.join() < b.join() ? -1 : 1));
}

/** Returns the shortest path from a name back to it, starting at its alphabetically first name. */
function findShortestBack(
  known: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const next = [start];
  for (const name of next) {
    for (const to of [...(known.get(name) ?? [])].sort()) {
      if (to === start) return rotateCircle(computeWay(cameFrom, start, name));
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, name);
      next.push(to);
    }
  }
  return undefined;
}

function computeWay(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const way = [end];
  for (let name = end; name !== start; ) {
    name = cameFrom.get(name) ?? start;
    way.unshift(name);
  }
  return way;
}

function rotateCircle(circle: readonly string[]): string[] {
  const first = circle.indexOf([...circle].sort()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first)];
}

/** Formats a circle: `a -> b -> a`. */
export const formatCircle = (circle: readonly string[]): string => [...circle, circle[0]].join(' -> ');

/**
 * Returns the arrows between the direct subfolders of a folder, from the arrows between files. Each subfolder
 * contains all files below it. Files directly in the folder are ignored.
 */
export function collectArrows(arrows: readonly Arrow[], folder: string): Arrow[] {
  const getPart = (file: string): string | undefined => {
    if (!file.startsWith(`${folder}/`)) return undefined;
    const [first = '', ...deeper] = file.slice(folder.length + 1).split('/');
    return deeper.length > 0 ? `${folder}/${first}` : undefined;
  };
  return collectArrowsBetween(arrows, getPart);
}

function collectArrowsBetween(arrows: readonly Arrow[], part: (file: string) => string | undefined): Arrow[] {
  return arrows.flatMap((arrow) => {
    const [from, to] = [part(arrow.from), part(arrow.to)];
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });
}

/** Returns the folders of files and all their parents, sorted. */
export function listFolders(files: readonly string[]): string[] {
  const all = files.flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(all)].sort();
}

/**
 * Returns the circles between folders. `top` has the circles of the top folders: the folders of `src`, each
 * module in `src/modules`, and the folders next to `src`. `nested` has the circles of the subfolders of each
 * folder.
 */
export function findFolderCircles(arrows: readonly Arrow[]): {
  readonly top: string[][];
  readonly nested: string[][];
} {
  const files = arrows.flatMap(({ from, to }) => [from, to]);
  const nested = listFolders(files)
    .filter((folder) => folder !== 'src')
    .flatMap((folder) => findCircles(collectArrows(arrows, folder)));
  return { top: findCircles(collectArrowsBetween(arrows, getTop)), nested };
}

const getTop = (file: string): string => {
  const parts = file.split('/');
  const depth = file.startsWith('src/modules/') ? 3 : file.startsWith('src/') ? 2 : 1;
  return parts.slice(0, depth).join('/');
};
