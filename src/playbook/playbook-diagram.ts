import { inMermaid } from '../tools/to-mermaid.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Lock } from './lock.ts';
import type { UnlockCondition } from './unlock-condition.ts';

/**
 * A playbook as a Mermaid flowchart: an arrow leads from a tool to what its use unlocks. What is no use of a tool stands in
 * a round box. Arrows that meet are all needed, except in an "any of".
 */
export function playbookDiagram(open: readonly AnyTool[], locks: readonly Lock[]): string {
  const tools = [...open, ...locks.map(({ tool }) => tool)];
  const idOf = new Map(tools.map(({ name }, at) => [name, `tool${at + 1}`]));
  const nodes = tools.map(({ name }) => `${idOf.get(name)}[${inMermaid(name)}]`);
  const arrows: string[] = [];
  let boxes = 0;

  function box(shape: (label: string) => string, label: string, from: readonly string[] = []): string {
    boxes += 1;
    const id = `condition${boxes}`;
    nodes.push(`${id}${shape(inMermaid(label))}`);
    arrows.push(...from.map((one) => `${one} --> ${id}`));
    return id;
  }

  /** The nodes that stand for a condition; all of them are needed. */
  function nodesOf(condition: UnlockCondition): readonly string[] {
    switch (condition.type) {
      case 'after':
        return condition.names.flatMap((name) => idOf.get(name) ?? []);
      case 'all-of':
        return condition.conditions.flatMap(nodesOf);
      case 'any-of':
        return [box(hexagon, 'any of', condition.conditions.flatMap(oneNodeOf))];
      default:
        return [box(rounded, labelOf(condition))];
    }
  }

  function oneNodeOf(condition: UnlockCondition): readonly string[] {
    const all = nodesOf(condition);
    return all.length > 1 ? [box(hexagon, 'all of', all)] : all;
  }

  for (const { tool, condition } of locks) {
    const from = new Set(nodesOf(condition));
    arrows.push(...[...from].map((one) => `${one} --> ${idOf.get(tool.name)}`));
  }
  return ['flowchart LR', ...[...nodes, ...arrows].map((line) => `  ${line}`)].join('\n');
}

const rounded = (label: string): string => `([${label}])`;
const hexagon = (label: string): string => `{{${label}}}`;

type Other = Exclude<UnlockCondition['type'], 'after' | 'all-of' | 'any-of'>;

function labelOf(condition: Extract<UnlockCondition, { readonly type: Other }>): string {
  switch (condition.type) {
    case 'artifact':
      return `artifact: ${condition.of.name}`;
    case 'artifact-matching':
      return condition.of ? `artifact: ${condition.of.name} that matches` : 'artifact that matches';
    case 'blackboard':
      return condition.of ? `blackboard: ${condition.of.name}` : 'blackboard entry that matches';
    case 'when':
      return condition.holds.name || 'a condition on progress';
  }
}
