import { FOLDING } from '../../journal/memory-folding.ts';
import { own } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import type { ArtifactType } from '../../tool/tool-result.ts';

/** How far a playbook has come, as conditions read it: over all calls with one key in the session. */
export interface PlaybookProgress {
  /** Calls of its tools that succeeded; replies of the model are not counted. */
  readonly toolExecutions: number;
  /** How often this tool has been used successfully; also one that was unfolded or chained. */
  used(tool: AnyTool | string): number;
  /** How many artifacts of this type its tools have returned; the items of a list count one by one. */
  produced(type: ArtifactType | string): number;
}

/** What is remembered of a playbook, as small as conditions allow: how often, and never what was returned. */
export type StoredProgress = {
  readonly toolExecutions: number;
  /** By name. */
  readonly tools: Counts;
  /** By the name of their type. */
  readonly artifacts: Counts;
  /** The conditions on single artifacts that one of them has met. */
  readonly met: readonly string[];
};

/** Names may come from a model: read by `countOf`, never by an index. */
export type Counts = { readonly [name: string]: number };

/** It is keyed by what may come from a model, so only own properties are looked up. */
type Playbook = { readonly [key: string]: StoredProgress };

/** That a playbook begins anew, or what a successful call adds. */
export type PlaybookFact = { readonly type: 'reset'; readonly key: string } | Used;

type Used = {
  readonly type: 'used';
  readonly key: string;
  /**
   * Its name, and that of an unfolding tool through which it was called; fewer when there are too many to count each
   * alone.
   */
  readonly tools: readonly string[];
  readonly artifacts?: { readonly type: string; readonly count: number };
  readonly met?: readonly string[];
};

/** What is remembered of a playbook of which nothing has been used. */
export const NO_PROGRESS: StoredProgress = { toolExecutions: 0, tools: {}, artifacts: {}, met: [] };

/** Remembers the progress of every playbook of a session, each by its path. It outlives the turn. */
export const PLAYBOOKS: ToolMemory<Playbook, PlaybookFact> = {
  name: 'playbooks',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  when: 'batch',
  apply(playbook, fact) {
    const progress = fact.type === 'used' ? advanced(storedProgress(playbook, fact.key), fact) : NO_PROGRESS;
    // A computed key makes a property of its own, whatever its name: `__proto__` is a key like any other.
    return { ...playbook, [fact.key]: progress };
  },
};

/** The module of playbooks. */
export const PLAYBOOK = useOf(createModule({ name: 'playbooks', state: [PLAYBOOKS] }));

const advanced = ({ toolExecutions, tools, artifacts, met }: StoredProgress, fact: Used): StoredProgress => ({
  toolExecutions: toolExecutions + 1,
  tools: fact.tools.reduce((counts, name) => added(counts, name, 1), tools),
  artifacts: fact.artifacts ? added(artifacts, fact.artifacts.type, fact.artifacts.count) : artifacts,
  met: [...new Set([...met, ...(fact.met ?? [])])],
});

const added = (counts: Counts, name: string, more: number): Counts => ({
  ...counts,
  [name]: countOf(counts, name) + more,
});

/** Says how often this name was counted. */
const countOf = (counts: Counts, name: string): number => own(counts, name) ?? 0;

/** Answers what is remembered of a playbook under this key. */
export const storedProgress = (playbook: Playbook, key: string): StoredProgress =>
  own(playbook, key) ?? NO_PROGRESS;

/** Answers what is remembered, as conditions read it. */
export const toProgress = ({ toolExecutions, tools, artifacts }: StoredProgress): PlaybookProgress => ({
  toolExecutions,
  used: (tool) => countOf(tools, nameOf(tool)),
  produced: (type) => countOf(artifacts, nameOf(type)),
});

const nameOf = (named: { readonly name: string } | string): string =>
  typeof named === 'string' ? named : named.name;
