/**
 * Places the nodes of a diagram in columns. Except in cycles, each node is to the right of the nodes that
 * lead to it.
 */
import type { Diagram, DiagramEdge, DiagramNode } from './mermaid.ts';

export interface PlacedNode extends DiagramNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface EdgeLine extends DiagramEdge {
  /** The `d` attribute of an SVG `path`. */
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}

export interface DiagramLayout {
  readonly nodes: readonly PlacedNode[];
  readonly lines: readonly EdgeLine[];
  readonly width: number;
  readonly height: number;
}

export const NODE_HEIGHT = 34;
const [GAP_Y, GAP_X, MARGIN, CHARACTER] = [44, 66, 28, 7.4];

export function computeLayout({ nodes, edges, initial }: Diagram): DiagramLayout {
  const columns = toColumns(nodes, edges, initial);
  const placed = new Map<string, PlacedNode>();
  let x = MARGIN;
  let height = 0;
  for (const column of columns) {
    const width = Math.max(...column.map(({ label }) => label.length * CHARACTER + 28), 70);
    column.forEach((node, at) => {
      const y = MARGIN + at * (NODE_HEIGHT + GAP_Y);
      placed.set(node.id, { ...node, x, y, width });
      height = Math.max(height, y + NODE_HEIGHT);
    });
    x += width + GAP_X;
  }
  const lines = edges.flatMap((edge) => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)];
    return from && to ? [drawLine(edge, from, to)] : [];
  });
  return { nodes: [...placed.values()], lines, width: x - GAP_X + MARGIN, height: height + MARGIN + 26 };
}

/**
 * Puts each node in a column after the nodes that lead to it. The column is the length of the shortest path
 * from the initial state of a state machine, or of the longest path in a playbook.
 */
function toColumns(nodes: Diagram['nodes'], edges: Diagram['edges'], initial?: string): DiagramNode[][] {
  const depth =
    initial === undefined ? computeLongestPaths(nodes, edges) : computeShortestPaths(initial, edges);
  const last = Math.max(0, ...depth.values());
  const columns: DiagramNode[][] = Array.from({ length: last + 1 }, () => []);
  for (const node of nodes) columns[depth.get(node.id) ?? last]?.push(node);
  return columns.filter((column) => column.length > 0);
}

function computeShortestPaths(initial: string, edges: Diagram['edges']): ReadonlyMap<string, number> {
  const depth = new Map([[initial, 0]]);
  const queue = [initial];
  for (let id = queue.shift(); id !== undefined; id = queue.shift())
    for (const { from, to } of edges) {
      if (from !== id || depth.has(to)) continue;
      depth.set(to, (depth.get(id) ?? 0) + 1);
      queue.push(to);
    }
  return depth;
}

/**
 * Returns the length of the longest path to each node. A playbook has no cycles. In a cycle, the number of
 * rounds limits the length.
 */
function computeLongestPaths(nodes: Diagram['nodes'], edges: Diagram['edges']): ReadonlyMap<string, number> {
  const depth = new Map(nodes.map(({ id }) => [id, 0]));
  for (const _ of nodes)
    for (const { from, to } of edges)
      depth.set(to, Math.min(nodes.length, Math.max(depth.get(to) ?? 0, (depth.get(from) ?? 0) + 1)));
  return depth;
}

function drawLine(edge: DiagramEdge, from: PlacedNode, to: PlacedNode): EdgeLine {
  const middle = NODE_HEIGHT / 2;
  if (from.id === to.id) {
    const x = from.x + from.width / 2;
    const y = from.y + NODE_HEIGHT;
    return { ...edge, path: `M${x - 16} ${y}c-6 24 38 24 32 0`, labelX: x, labelY: y + 26 };
  }
  if (to.x > from.x) {
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + middle, to.x - 3, to.y + middle];
    const bend = (x2 - x1) / 2;
    const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
    return { ...edge, path, labelX: (x1 + x2) / 2, labelY: (y1 + y2) / 2 - 6 };
  }
  // An arrow that leads to an earlier column or its own passes below the nodes.
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
  const [y1, y2] = [from.y + NODE_HEIGHT, to.y + NODE_HEIGHT + 3];
  const low = Math.max(y1, y2) + 34;
  return {
    ...edge,
    path: `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`,
    labelX: (x1 + x2) / 2,
    labelY: low - 2,
  };
}
