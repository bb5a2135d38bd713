import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool, ToolDefinitionError } from '../../../../src/index.ts';
import { defineStateMachine, startingIn } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { toMermaid } from '../../../../src/modules/inspect/entry.ts';
import { createOrderMachine, createWorkshop } from './scenes.ts';

const { tool } = createWorkshop();
const base = { name: 'door', description: 'Is a door.', input: v.object({}) } as const;

describe('the diagram of a state machine', () => {
  it('contains its states, its transitions, tools without a transition, and tools of all states', () => {
    const [cancel, note] = [tool('cancel'), tool('note')];
    const machine = defineStateMachine({
      ...base,
      initial: 'draft',
      states: {
        draft: [
          tool('add_item'),
          note,
          { tool: tool('confirm'), to: 'confirmed' },
          { tool: cancel, to: 'gone' },
        ],
        confirmed: [
          note,
          { tool: tool('ship'), to: 'shipped' },
          { tool: cancel, to: 'gone' },
          { tool: tool('drop'), to: 'gone' },
        ],
        shipped: [],
        gone: [],
      },
      everywhere: [tool('status'), tool('help')],
    });
    expect(toMermaid(machine)).toBe(
      [
        'stateDiagram-v2',
        '    state "draft" as s0',
        '    state "confirmed" as s1',
        '    state "shipped" as s2',
        '    state "gone" as s3',
        '    [*] --> s0',
        '    s0 --> s0 : add_item, note',
        '    s0 --> s1 : confirm',
        '    s0 --> s3 : cancel',
        '    s1 --> s1 : note',
        '    s1 --> s3 : cancel, drop',
        '    s1 --> s2 : ship',
        '    note right of s0',
        '        In every state: status, help',
        '    end note',
      ].join('\n'),
    );
  });

  it('needs no note if each tool belongs to a state, and shows transitions of tools of all states', () => {
    const next = tool('next');
    const states = { red: [{ tool: next, to: 'green' }], green: [] } as const;
    expect(toMermaid(defineStateMachine({ ...base, initial: 'green', states }))).toBe(
      [
        'stateDiagram-v2',
        '    state "red" as s0',
        '    state "green" as s1',
        '    [*] --> s1',
        '    s0 --> s1 : next',
      ].join('\n'),
    );
    expect(toMermaid(defineStateMachine({ ...base, initial: 'red', states, everywhere: [next] }))).toBe(
      [
        'stateDiagram-v2',
        '    state "red" as s0',
        '    state "green" as s1',
        '    [*] --> s0',
        '    s0 --> s1 : next',
        '    note right of s0',
        '        In every state: next',
        '    end note',
      ].join('\n'),
    );
  });

  it('quotes names that are Mermaid syntax', () => {
    const machine = defineStateMachine({
      ...base,
      initial: 'state "x" as y',
      states: {
        'state "x" as y': [{ tool: tool('go'), to: '[*]' }],
        '[*]': [{ tool: tool('end'), to: 'a --> b: #quot;\n  note %% c' }],
        'a --> b: #quot;\n  note %% c': [],
        __proto: [],
      },
    });
    expect(toMermaid(machine)).toBe(
      [
        'stateDiagram-v2',
        '    state "state #quot;x#quot; as y" as s0',
        '    state "[*]" as s1',
        '    state "a --> b: #35;quot; note #37;#37; c" as s2',
        '    state "__proto" as s3',
        '    [*] --> s0',
        '    s0 --> s1 : go',
        '    s1 --> s2 : end',
      ].join('\n'),
    );
  });

  it('is the same for a decorated machine, and for a copy with another initial state', () => {
    const { machine } = createOrderMachine();
    expect(toMermaid(requireApproval(machine, 'May I?'))).toBe(toMermaid(machine));
    expect(toMermaid(startingIn(machine, 'shipped'))).toBe(
      toMermaid(machine).replace('[*] --> s0', '[*] --> s2').replace('note right of s0', 'note right of s2'),
    );
  });

  it('throws for other tools', () => {
    const plain = defineTool({ name: 'plain', description: 'Is plain.', run: () => 'ok' });
    expect(() => toMermaid(plain)).toThrow(
      new ToolDefinitionError(
        'plain',
        'diagram',
        'it has no diagram. Only a state machine or a playbook has one.',
      ),
    );
  });
});
