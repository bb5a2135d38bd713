import { describe, expect, it } from 'vitest';
import {
  after,
  allOf,
  anyOf,
  onArtifact,
  onArtifactMatching,
  onBlackboard,
  onBlackboardMatching,
  when,
} from '../../../../src/kinds/entry.ts';
import { withDescription } from '../../../../src/modules/decorators/entry.ts';
import { toMermaid } from '../../../../src/modules/inspect/entry.ts';
import { analyze, createResearcher, createTool, Document, report, search } from './scenes.ts';

const fetchPage = createTool('fetch_page');

describe('the diagram of a playbook', () => {
  it('has an arrow from each tool to the tools that it unlocks, and shows the other conditions', () => {
    const hasEnough = when((progress) => progress.toolExecutions >= 3);
    const drawn = createResearcher({
      tools: [search, fetchPage],
      locked: [
        { tool: analyze, unlockedBy: after(search, fetchPage) },
        { tool: report, unlockedBy: allOf(after(analyze), onArtifact(Document)) },
        { tool: createTool('publish'), unlockedBy: anyOf(after(report), allOf(after(search), hasEnough)) },
      ],
    });
    expect(toMermaid(drawn)).toBe(
      [
        'flowchart LR',
        '  tool1["search"]',
        '  tool2["fetch_page"]',
        '  tool3["analyze"]',
        '  tool4["report"]',
        '  tool5["publish"]',
        '  condition1(["artifact: Document"])',
        '  condition2(["a condition on progress"])',
        '  condition3{{"all of"}}',
        '  condition4{{"any of"}}',
        '  tool1 --> tool3',
        '  tool2 --> tool3',
        '  tool3 --> tool4',
        '  condition1 --> tool4',
        '  tool1 --> condition3',
        '  condition2 --> condition3',
        '  tool4 --> condition4',
        '  condition3 --> condition4',
        '  condition4 --> tool5',
      ].join('\n'),
    );
  });

  it.each([
    ['artifact: Document that matches', onArtifact(Document, () => true)],
    ['artifact that matches', onArtifactMatching(() => true)],
    ['blackboard: Document', onBlackboard(Document)],
    ['blackboard entry that matches', onBlackboardMatching(() => true)],
    [
      'isLate',
      when(function isLate() {
        return true;
      }),
    ],
  ])('labels a condition as "%s"', (label, unlockedBy) => {
    const drawn = createResearcher({ tools: [], locked: [{ tool: report, unlockedBy }] });
    expect(toMermaid(drawn)).toContain(`condition1(["${label}"])`);
  });

  it('does not change if the playbook is decorated, and has at most one arrow between two tools', () => {
    const twice = allOf(after(search), after(search));
    const made = createResearcher({ tools: [search], locked: [{ tool: report, unlockedBy: twice }] });
    expect(toMermaid(withDescription(made, 'Else.'))).toBe(toMermaid(made));
    expect(toMermaid(made).split('-->')).toHaveLength(2);
  });
});
