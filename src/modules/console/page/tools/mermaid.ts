/**
 * Parses the Mermaid diagrams that this library writes: state diagrams of state machines, and flowcharts of
 * playbooks.
 */

export interface DiagramNode {
  readonly id: string;
  readonly label: string;
  /** `state`, a `tool` of a playbook, or a `condition` that unlocks a tool. */
  readonly kind: 'state' | 'tool' | 'condition';
}

export interface DiagramEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Diagram {
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
  /** The initial state of a state machine. */
  readonly initial?: string;
  /** The tools of every state. */
  readonly note?: string;
}

const STATE_LINE = /^state "(.*)" as (\w+)$/;
const EDGE_LINE = /^(\w+) --> (\w+)(?: : (.*))?$/;
const INITIAL_LINE = /^\[\*\] --> (\w+)$/;
const NOTE_LINE = /^In every state: (.*)$/;
const NODE_LINE = /^(\w+)(?:\["(.*)"\]|\(\["(.*)"\]\)|\{\{"(.*)"\}\})$/;

export function readMermaid(source: string): Diagram {
  const nodes: DiagramNode[] = [];
  const edges: DiagramEdge[] = [];
  let initial: string | undefined;
  let note: string | undefined;
  for (const line of source.split('\n').map((one) => one.trim())) {
    const [, name, id = ''] = STATE_LINE.exec(line) ?? [];
    if (name !== undefined) nodes.push({ id, label: unescapeLabel(name), kind: 'state' });
    const [, box = '', tool, rounded, hexagon] = NODE_LINE.exec(line) ?? [];
    const label = tool ?? rounded ?? hexagon;
    if (label !== undefined)
      nodes.push({ id: box, label: unescapeLabel(label), kind: tool === undefined ? 'condition' : 'tool' });
    const [, from = '', to = '', words = ''] = EDGE_LINE.exec(line) ?? [];
    if (from !== '') edges.push({ from, to, label: words });
    initial = INITIAL_LINE.exec(line)?.[1] ?? initial;
    note = NOTE_LINE.exec(line)?.[1] ?? note;
  }
  return { nodes, edges, ...(initial !== undefined && { initial }), ...(note !== undefined && { note }) };
}

const unescapeLabel = (text: string): string =>
  text.replaceAll('#quot;', '"').replaceAll('#37;', '%').replaceAll('#35;', '#');
