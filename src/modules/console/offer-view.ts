/** Shows which tools the code of this deployment offers a model for a reply. */
import type { OfferedTool, RequestHashes } from '../../journal/reply-data.ts';
import type { Loop } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { createLoopView, hashText, type Offer, offerTools } from '../../loop/offer-tools.ts';
import { getOrigin } from '../../tool/decorate.ts';
import { DIAGRAM, type DiagramPosition, findDiagram, STANDING } from '../../tool/draw.ts';
import { isJsonObject } from '../../tool/json.ts';
import {
  ANY_OBJECT,
  BOOLEAN,
  INTEGER,
  type Infer,
  NUMBER,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  type Shape,
  TEXT,
} from '../../tool/shape.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { LoopOpener } from './rebuilt-loop.ts';

const WITHHELD_VIEW = { object: { tool: TEXT, why: TEXT } } as const satisfies Shape;

/** A tool that the model was offered. */
export interface OfferedView extends Infer<typeof OFFERED_VIEW> {}
const OFFERED_VIEW = {
  object: {
    name: TEXT,
    description: TEXT,
    effect: TEXT,
    /** A hash of its name, description and schema. */
    hash: TEXT,
    /** The names of the unfolding tools that added it. */
    by: { listOf: TEXT },
    /** The names of the tools inside it. */
    inner: { listOf: TEXT },
    /** `true` if the loop declares the tool, and `false` if a call, a source or a module added it. */
    isDeclared: BOOLEAN,
    /** The reason why a call of the tool would now be withheld, as the model would read it. */
    lockedBy: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** A state machine or a playbook within reach of a loop. */
export interface DiagramView extends Infer<typeof DIAGRAM_VIEW> {}
const DIAGRAM_VIEW = {
  object: {
    tool: TEXT,
    /** The diagram as Mermaid source. */
    mermaid: TEXT,
    /** Its state or progress in the session, by key. */
    positions: ANY_OBJECT,
    /** The key of the call that opened the loop. Absent for a tool that the loop can call. */
    key: OPTIONAL_TEXT,
    state: OPTIONAL_TEXT,
    withheld: { listOf: WITHHELD_VIEW },
  },
} as const satisfies Shape;

/** The tools of one model call. */
export interface OfferView extends Infer<typeof OFFER_VIEW> {}
export const OFFER_VIEW = {
  object: {
    turn: TEXT,
    /** The id of the call that opened the loop. Empty for the turn's own loop. */
    frame: TEXT,
    path: TEXT,
    /** The number of the model call in its loop, starting at 1. */
    iteration: INTEGER,
    model: TEXT,
    offered: { listOf: OFFERED_VIEW },
    /** The names of declared tools that a module omits. */
    hidden: { listOf: TEXT },
    diagrams: { listOf: DIAGRAM_VIEW },
    limits: {
      listOf: { object: { name: TEXT, used: NUMBER, most: OPTIONAL_NUMBER } },
    },
    /**
     * Whether the instructions and tools of this code differ from the hashes in the journal. Absent if the
     * journal has no hashes.
     */
    differs: { optional: { object: { instructions: BOOLEAN, tools: BOOLEAN } } },
    /** The reasons that some of the data is unknown. */
    unknown: { listOf: TEXT },
  },
} as const satisfies Shape;

/** A rebuilt loop, with the call that opened it and the hashes of its next reply. */
export interface InspectedLoop {
  readonly loop: Loop;
  readonly opener?: LoopOpener | undefined;
  readonly asked?: RequestHashes | undefined;
}

/** Returns the view of a loop's next model call. */
export async function toOfferView({ loop, opener, asked }: InspectedLoop): Promise<OfferView> {
  const { spec, frame } = loop;
  const offer = offerTools(loop, 'now');
  const own = opener && (await findOwnDiagram(loop, opener));
  const locked = new Map(own?.withheld.map(({ tool, why }) => [tool, why]));
  const declared = new Set(spec.tools.map(({ name }) => name));
  const names = offer.byName;
  return {
    turn: loop.turn,
    frame: frame.id,
    path: frame.path,
    iteration: frame.iterations + 1,
    model: spec.model.name,
    offered: offer.offered.flatMap((one) => toOfferedView(one, { offer, declared, locked })),
    hidden: [...declared].filter((name) => !names.has(name)),
    diagrams: [...(own ? [own] : []), ...[...names.values()].flatMap((tool) => listToolDiagrams(loop, tool))],
    limits: getLimits(loop),
    ...(asked && { differs: findDifferences(loop, offer, asked) }),
    unknown: getUnlistedToolNotes(loop),
  };
}

interface OfferParts {
  readonly offer: Offer;
  readonly declared: ReadonlySet<string>;
  readonly locked: ReadonlyMap<string, string>;
}

function toOfferedView({ name, hash }: OfferedTool, { offer, declared, locked }: OfferParts): OfferedView[] {
  const tool = offer.byName.get(name);
  if (!tool) return [];
  const { description, effect, inner = [] } = tool;
  const why = locked.get(name);
  return [
    {
      ...{ name, description, effect, hash, isDeclared: declared.has(name) },
      by: getOrigin(tool)?.by.map((one) => one.name) ?? [],
      inner: inner.map((one) => one.name),
      ...(why !== undefined && { lockedBy: why }),
    },
  ];
}

/** The memories of state machines and playbooks, which the session stores by path and key. */
const POSITION_MEMORIES = ['state-machines', 'playbooks'];

function getPositions({ journal }: Loop, path: string): DiagramView['positions'] {
  for (const name of POSITION_MEMORIES) {
    const byPath = journal.state.memories.get(name);
    const at = isJsonObject(byPath) && Object.hasOwn(byPath, path) ? byPath[path] : undefined;
    if (isJsonObject(at)) return at;
  }
  return {};
}

/** Returns the diagram of a tool that the loop can call, if it has one. */
function listToolDiagrams(loop: Loop, tool: AnyTool): DiagramView[] {
  const drawn = findDiagram(tool);
  if (!drawn) return [];
  const positions = getPositions(loop, `${loop.frame.path}/${drawn.name}`);
  return [{ tool: tool.name, mermaid: drawn[DIAGRAM](), positions, withheld: [] }];
}

/** Returns the diagram of the tool that opened the loop, with the position of its call. */
async function findOwnDiagram(loop: Loop, { tool, input }: LoopOpener): Promise<DiagramView | undefined> {
  const drawn = findDiagram(tool);
  if (!drawn) return undefined;
  const checked = await tool.check(input);
  const standing: DiagramPosition = checked.ok
    ? drawn[STANDING](checked.value, createLoopView(loop, 'now'))
    : { key: '', withheld: [] };
  const positions = getPositions(loop, loop.frame.path);
  return { tool: tool.name, mermaid: drawn[DIAGRAM](), positions, ...standing };
}

/** Returns what the loop and its turn have used of their limits. */
function getLimits(loop: Loop): OfferView['limits'] {
  const { spec, frame, journal } = loop;
  const { turn } = journal.state;
  const tokens = turn ? turn.before + turn.usage.inputTokens + turn.usage.outputTokens : 0;
  const ofModules = spec.uses.flatMap(({ use, frame: of }) => LOOPS.of(use)?.limits?.(loop, of) ?? []);
  return [
    { name: 'iterations', used: frame.iterations, most: spec.iterations },
    { name: 'tokens', used: tokens, ...(spec.tokenCeiling !== undefined && { most: spec.tokenCeiling }) },
    ...ofModules.map(({ kind, used, most }) => ({ name: `${kind} (module)`, used, most })),
  ];
}

/** Compares the hashes of this code's instructions and tools with those in the journal. */
function findDifferences(loop: Loop, offer: Offer, asked: RequestHashes): NonNullable<OfferView['differs']> {
  const { instructions: written } = loop.spec;
  const instructions = typeof written === 'string' ? written : written(createLoopView(loop, 'now'));
  return {
    instructions: hashText(instructions) !== asked.instructions,
    tools: offer.hash !== asked.tools,
  };
}

function getUnlistedToolNotes({ spec }: Loop): readonly string[] {
  const discovers = spec.strategies.some(({ discover }) => discover !== undefined);
  return discovers
    ? ['Tools of outside sources are those that the session has listed: the console asks no server.']
    : [];
}
