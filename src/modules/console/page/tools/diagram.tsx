/** Shows the diagram of a state machine or a playbook, with the position of a call. */
import { useMemo } from 'preact/hooks';
import type { DiagramView } from '../../offer-view.ts';
import { formatCount } from '../ui/format.ts';
import { Badge } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';
import { computeLayout, type DiagramLayout, NODE_HEIGHT } from './layout.ts';
import { readMermaid } from './mermaid.ts';

export function DiagramPanel({ diagram }: { readonly diagram: DiagramView }) {
  const { mermaid, tool } = diagram;
  const read = useMemo(() => readMermaid(mermaid), [mermaid]);
  const layout = useMemo(() => computeLayout(read), [read]);
  const isMachine = read.initial !== undefined;
  const marks = isMachine ? markStates(diagram, read.nodes) : markTools(diagram, read.nodes);
  return (
    <figure class="panel diagram">
      <figcaption>
        <strong>
          <Line text={tool} />
        </strong>{' '}
        <span class="muted">{isMachine ? 'state machine' : 'playbook'}</span>
        {read.note && (
          <span class="muted small">
            In every state: <Line text={read.note} />
          </span>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard. */}
      <section class="diagram-scroll" tabIndex={0} aria-label={`Diagram of ${tool}`}>
        <Drawing layout={layout} initial={read.initial} marks={marks} title={getDiagramTitle(diagram)} />
      </section>
      <Positions diagram={diagram} />
    </figure>
  );
}

type NodeMarks = ReadonlyMap<string, 'here' | 'done' | 'locked'>;
type DiagramNodes = ReturnType<typeof readMermaid>['nodes'];

/** Marks the state of the call that opened the loop, or else the current states of all keys. */
function markStates({ state, positions }: DiagramView, nodes: DiagramNodes): NodeMarks {
  const states = state === undefined ? Object.values(positions) : [state];
  const here = nodes.filter(({ label }) => states.includes(label));
  return new Map(here.map(({ id }) => [id, 'here']));
}

/** Marks the tools of a playbook that were used, and those that are locked. */
function markTools({ positions, key, withheld }: DiagramView, nodes: DiagramNodes): NodeMarks {
  const progress: unknown = key === undefined ? Object.values(positions)[0] : positions[key];
  const used: Readonly<Record<string, unknown>> = Object(Object(progress).tools);
  return new Map(
    nodes.flatMap(({ id, label }): [string, 'done' | 'locked'][] => {
      if (Object.hasOwn(used, label)) return [[id, 'done']];
      return withheld.some(({ tool }) => tool === label) ? [[id, 'locked']] : [];
    }),
  );
}

const getDiagramTitle = ({ tool, state }: DiagramView): string =>
  state === undefined ? tool : `${tool}: ${state}`;

interface DrawingProps {
  readonly layout: DiagramLayout;
  readonly initial: string | undefined;
  readonly marks: NodeMarks;
  readonly title: string;
}

function Drawing({ layout: { nodes, lines, width, height }, initial, marks, title }: DrawingProps) {
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {lines.map(({ from, to, label, path, labelX, labelY }) => (
        <g key={`${from} ${to} ${label}`} class="edge">
          <path d={path} marker-end="url(#arrow)" />
          {label && (
            <text x={labelX} y={labelY} text-anchor="middle">
              {label.length > 28 ? `${label.slice(0, 27)}…` : label}
            </text>
          )}
        </g>
      ))}
      {nodes.map(({ id, label, kind, x, y, width: wide }) => (
        <g key={id} class={`node ${kind} ${marks.get(id) ?? ''}`}>
          <rect x={x} y={y} width={wide} height={NODE_HEIGHT} rx={kind === 'tool' ? 6 : 17} />
          <text x={x + wide / 2} y={y + NODE_HEIGHT / 2 + 4} text-anchor="middle">
            {marks.get(id) === 'locked' ? `🔒 ${label}` : marks.get(id) === 'done' ? `✓ ${label}` : label}
          </text>
          {id === initial && <circle cx={x - 12} cy={y + NODE_HEIGHT / 2} r="5" />}
        </g>
      ))}
    </svg>
  );
}

/** The maximum number of keys that are listed. */
const MAX_KEYS = 12;

function Positions({ diagram: { positions, key } }: { readonly diagram: DiagramView }) {
  const all = Object.entries(positions);
  if (all.length === 0) return <p class="muted small">No call has begun it yet.</p>;
  return (
    <p class="positions small">
      {all.slice(0, MAX_KEYS).map(([name, at]) => (
        <Badge key={name} tone={name === key ? 'accent' : 'plain'}>
          <Line
            text={`${name === '' ? '' : `${name}: `}${typeof at === 'string' ? at : formatProgress(at)}`}
            most={60}
          />
        </Badge>
      ))}
      {all.length > MAX_KEYS && <span class="muted">and {formatCount(all.length - MAX_KEYS, 'other')}</span>}
    </p>
  );
}

const formatProgress = (at: unknown): string => `${Number(Object(at).toolExecutions ?? 0)} calls`;
