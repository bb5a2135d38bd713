import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as core from '../../../../src/index.ts';
import {
  type AnyTool,
  defineAgent,
  defineDomainType,
  defineTool,
  exitEarly,
  type JsonObject,
  Secrets,
  ToolCallContext,
  text,
} from '../../../../src/index.ts';
import type { CallRun } from '../../../../src/kinds/entry.ts';
import * as kinds from '../../../../src/kinds/entry.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import * as decorators from '../../../../src/modules/decorators/entry.ts';
import { autoApprove, decorate, listSink } from '../../../../src/modules/decorators/entry.ts';
import * as inspect from '../../../../src/modules/inspect/entry.ts';
import * as toolObjects from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createToolResult } from '../../../doors/tools.ts';
import { createFakeCall } from './fake-call.ts';
import { answerDecisions } from './fake-invocation.ts';

const holdfast = { ...core, ...kinds, ...decorators, ...inspect, ...toolObjects };

const Person = defineDomainType({ name: 'Person', schema: v.object({ name: v.string() }) });

interface DecoratorCase {
  readonly decorate: (tool: AnyTool) => AnyTool;
  /** The properties that the decorator can change. */
  readonly changes?: readonly (keyof AnyTool)[];
  /** Its calls wait for an answer from outside, which suspends the turn. */
  readonly waits?: true;
  /** Another function runs in place of the tool. */
  readonly replaces?: true;
  /** Guards the inner tools of an unfolding tool, but not its opening. */
  readonly guards?: true;
}

/** Every export that takes a tool and returns one, by name. */
const DECORATORS: Readonly<Record<string, DecoratorCase>> = {
  conditionalReplan: { decorate: (tool) => holdfast.conditionalReplan(tool, () => null) },
  decorate: { decorate: (tool) => decorate(tool, {}) },
  eachTool: {
    decorate: (tool) =>
      holdfast.eachTool(tool, (one) => decorate(one, { call: (input, call) => one.call(input, call) })),
    guards: true,
  },
  manual: {
    decorate: (tool) => holdfast.manual(tool),
    changes: ['effect', 'uses'],
    waits: true,
    replaces: true,
  },
  oneShotPerLoop: { decorate: (tool) => holdfast.oneShotPerLoop(tool, 'Go on.') },
  publishToBlackboard: {
    decorate: (tool) => holdfast.publishToBlackboard(tool, { name: 'found' }),
    guards: true,
  },
  replanAlways: { decorate: (tool) => holdfast.replanAlways(tool) },
  replanAndAdd: { decorate: (tool) => holdfast.replanAndAdd(tool, () => 1) },
  replanning: { decorate: (tool) => holdfast.replanning(tool, 'News.') },
  replanWhen: { decorate: (tool) => holdfast.replanWhen(tool, () => true) },
  requireApproval: {
    decorate: (tool) => holdfast.requireApproval(tool, 'May I?'),
    changes: ['uses'],
    waits: true,
    guards: true,
  },
  requireType: {
    decorate: (tool) => holdfast.requireType(tool, Person),
    changes: ['uses'],
    waits: true,
    guards: true,
  },
  sinkArtifacts: { decorate: (tool) => holdfast.sinkArtifacts(tool, listSink()), guards: true },
  trackAssets: { decorate: (tool) => holdfast.trackAssets(tool), guards: true },
  withAwaiting: {
    decorate: (tool) => holdfast.withAwaiting(tool, () => ({ message: 'May I?' })),
    changes: ['uses'],
    waits: true,
    guards: true,
  },
  withCoercion: { decorate: (tool) => holdfast.withCoercion(tool) },
  withConfirmation: {
    decorate: (tool) => holdfast.withConfirmation(tool, 'Sure?'),
    changes: ['uses'],
    waits: true,
    guards: true,
  },
  withDescription: { decorate: (tool) => holdfast.withDescription(tool, 'Else.'), changes: ['description'] },
  withEventPublication: { decorate: (tool) => holdfast.withEventPublication(tool, () => undefined) },
  withMetadata: { decorate: (tool) => holdfast.withMetadata(tool, 'key', 'value'), changes: ['metadata'] },
  withName: { decorate: (tool) => holdfast.withName(tool, 'other'), changes: ['name'] },
  withOutput: {
    // The provider runs this tool, so its result has no type.
    decorate: (tool) => holdfast.withOutput(decorate(tool, { providerTool: undefined }), Person),
    changes: ['output', 'providerTool'],
  },
  withUsageNote: { decorate: (tool) => holdfast.withUsageNote(tool, 'And more.'), changes: ['description'] },
  withObservability: { decorate: (tool) => holdfast.withObservability(tool, () => undefined) },
  withParameter: {
    decorate: (tool) => holdfast.withParameter(tool, 'page', v.optional(v.number())),
    changes: ['inputSchema'],
  },
  withReview: { decorate: (tool) => holdfast.withReview(tool, autoApprove()), guards: true },
};

/** All other exported functions. Add a new one here or to the table above. */
const OTHER_EXPORTS = [
  // Errors, and thrown signals.
  ...['AgentDefinitionError', 'DomainTypeError', 'ModelError', 'SignalError', 'ToolCallContextError'],
  ...['ToolConfigurationError', 'ToolDefinitionError'],
  ...['ToolObjectError'],
  ...['ToolResolutionError', 'exitEarly', 'replan', 'terminateAction', 'terminateAgent'],
  // Definitions of tools, agents and types.
  ...[
    'communicateTool',
    'fallback',
    'defineAgent',
    'defineDomainType',
    'definePipeline',
    'defineTextTool',
    'defineTool',
  ],
  ...[
    'hasTools',
    'humanInput',
    'progressTool',
    'providerTool',
    'resolveTools',
    'toolMethod',
    'toolTable',
    'toolsOf',
    'toolsOfAll',
    'toolsOfSafely',
  ],
  // Chaining.
  ...['chainAny', 'chainFrom', 'chaining', 'discover'],
  // Inputs and results.
  ...['readResult', 'artifact', 'content', 'error', 'file', 'image', 'mapContent', 'text', 'callOutcome'],
  // Arguments of decorators, tools and loops.
  ...[
    'assetsOf',
    'blackboardSink',
    'compositeSink',
    'listSink',
    'loopId',
    'loopMemo',
    'Secrets',
    'ToolCallContext',
  ],
  ...['defineAgenticTool', 'defineSubagent', 'nest', 'discoveryIn', 'exclusively'],
  ...['defineUnfolding', 'unfoldingOf', 'unfoldingOfSafely', 'withInnerTools', 'withInnerToolObject'],
  'toolFactory',
  ...['createHoldfast', 'createTestSession'],
  'toolProvider',
  'toolsFor',
  ...['withUnfolding', 'defineInjectionStrategy', 'addTools', 'removeTools', 'replaceTools', 'hasChanges'],
  ...['agentProcessTools', 'blackboardTools'],
  ...['defineStateMachine', 'startingIn', 'withContext', 'withInstructions', 'withModel', 'withTools'],
  ...['withLimits', 'withSettings', 'withUse'],
  ...['definePlaybook', 'after', 'allOf', 'anyOf', 'onArtifact', 'onArtifactMatching', 'onBlackboard'],
  ...['onBlackboardMatching', 'when'],
  ...['autoApprove', 'autoApproveWithDelay', 'serialized', 'unwrapAs', 'formatToolTree', 'toMermaid'],
  ...['exceptionProcessor', 'inspect', 'loggingInspector', 'loopLoggingInspector', 'metricsInspector'],
];

const toInput = (raw: string) => ({ at: raw });
const inner = defineTool({ name: 'inner', description: 'Is inside.', run: () => 'ok' });
const adoptedTool = defineTool({ name: 'adopted', description: 'Is guarded.', run: () => 'ok' });
const getAdopted = () => adoptedTool;
const routeToAdopted = (input: JsonObject) => ({ tool: adoptedTool, input });

/** A tool without default properties, which records its calls. */
function createProbe(answer: AnyTool['call'] = async () => text('seen')) {
  const given: { input: unknown; call: CallRun }[] = [];
  const declared = defineTool({
    name: 'probe',
    description: 'Looks.',
    input: v.object({ at: v.pipe(v.string(), v.minLength(2)) }),
    effect: 'idempotent',
    serial: 'probes',
    returnDirect: true,
    metadata: { group: 'probes' },
    output: Person,
    run: () => 'seen',
  });
  const tool: AnyTool = {
    ...declared,
    inner: [inner],
    providerTool: { id: 'maker.probe', args: {} },
    readInput: toInput,
    adopt: getAdopted,
    route: routeToAdopted,
    async call(input, live) {
      given.push({ input, call: live });
      return answer(input, live);
    },
  };
  return { tool, given };
}

/** A tool that is an instance of a class with getters, prototype methods and private members. */
class ClassTool implements AnyTool {
  readonly #made = createProbe().tool;
  readonly name = 'probe';
  get description() {
    return this.#made.description;
  }
  get inputSchema() {
    return this.#made.inputSchema;
  }
  get effect() {
    return this.#made.effect;
  }
  get serial() {
    return this.#made.serial;
  }
  get returnDirect() {
    return this.#made.returnDirect;
  }
  get metadata() {
    return this.#made.metadata;
  }
  get output() {
    return this.#made.output;
  }
  get inner() {
    return this.#made.inner;
  }
  get providerTool() {
    return this.#made.providerTool;
  }
  readInput(raw: string) {
    return { at: raw, by: this.#made.name };
  }
  adopt() {
    return this.#made;
  }
  route(input: JsonObject) {
    return { tool: this.#made, input };
  }
  check(input: JsonObject, name?: string) {
    return this.#made.check(input, name);
  }
  call(input: JsonObject, live: CallRun) {
    return this.#made.call(input, live);
  }
}

/** A call that approves every question and has a `Person`. */
function createApprovedCall(changes: Partial<CallRun> = {}): CallRun {
  const { call } = createFakeCall({
    ask: answerDecisions(async () => ({ decision: 'approve' })),
    ...changes,
  });
  call.blackboard.add({ name: 'Ann' }, { type: 'Person' });
  return call;
}

/** A decorator that does not change `call` binds it, which the function's name reveals. */
const isForwarded = (call: AnyTool['call'], its: AnyTool['call']): boolean =>
  call.name === `bound ${its.name}`;

const INPUT = { at: 'sea' };
const isProbe =
  (tool: AnyTool) =>
  (one: AnyTool): one is AnyTool =>
    one === tool;

describe('the table of decorators', () => {
  it('lists every export that accepts a tool and returns a tool', () => {
    const functions = Object.entries(holdfast).flatMap(([name, value]) =>
      typeof value === 'function' ? [name] : [],
    );
    expect(functions.toSorted()).toEqual([...Object.keys(DECORATORS), ...OTHER_EXPORTS].toSorted());
  });
});

describe.each(Object.entries(DECORATORS))('%s', (_, { decorate: decorated, changes = [] }) => {
  it('keeps the properties of its tool, except those that it changes (DEC-03, AST-02, ONE-08)', () => {
    const { tool } = createProbe();
    const {
      call,
      check: _check,
      delegate: _delegate,
      readInput,
      adopt,
      route,
      uses,
      ...said
    } = decorated(tool);
    const {
      call: itsCall,
      check: _itsCheck,
      readInput: _reads,
      adopt: _adopts,
      route: _routes,
      ...says
    } = tool;
    const listUnchanged = (all: Partial<AnyTool>) =>
      Object.entries(all).filter(([key]) => !changes.some((change) => change === key));
    expect(Object.keys(said).toSorted()).toEqual(Object.keys(says).toSorted());
    expect(uses).toEqual(changes.includes('uses') ? [answers] : undefined);
    expect(readInput?.('sea')).toEqual(toInput('sea'));
    expect(adopt?.(tool)).toBe(adoptedTool);
    // A route would bypass the decorator's `call`.
    expect(route?.({ at: 'sea' })?.tool).toBe(isForwarded(call, itsCall) ? adoptedTool : undefined);
    for (const [key, value] of listUnchanged(said)) expect(value, key).toBe(says[key as keyof typeof says]); // own keys
  });

  it('can be unwrapped (DEC-01, DEC-02)', () => {
    const { tool } = createProbe();
    expect(decorated(tool).delegate).toBeDefined();
    expect(unwrap(decorated(tool), tool)).toBe(tool);
    expect(unwrap(decorate(decorated(decorate(tool, {})), {}), tool)).toBe(tool);
  });

  it('checks an input like its tool, without a run', async () => {
    const { tool, given } = createProbe();
    expect(await decorated(tool).check({ at: 'sea' })).toEqual({ ok: true, value: { at: 'sea' } });
    expect(await decorated(tool).check({ at: 's' }, 'probe')).toMatchObject({
      ok: false,
      answer: await tool.check({ at: 's' }, 'probe').then((checked) => !checked.ok && checked.answer),
    });
    expect(given).toEqual([]);
  });
});

describe.each(Object.entries(DECORATORS))(
  '%s of a tool that is an instance of a class',
  (_, { decorate: decorated, changes = [], replaces }) => {
    it('has the same properties, checks and behavior as the decorated tool (DEC-03)', async () => {
      const tool = new ClassTool();
      const same = decorated(decorate(tool, {}));
      const { tool: plain } = createProbe();
      for (const key of ['name', 'description', 'inputSchema', 'effect', 'serial', 'metadata'] as const) {
        if (!changes.includes(key)) expect(same[key], key).toEqual(plain[key]);
      }
      expect([same.returnDirect, same.output, same.inner]).toEqual([true, Person, [inner]]);
      expect(same.readInput?.('sea')).toEqual({ at: 'sea', by: 'probe' });
      expect(await decorated(tool).check(INPUT)).toEqual({ ok: true, value: INPUT });
      expect(unwrap(same, tool)).toBe(tool);
      if (replaces) return;
      expect((await decorated(tool).call(INPUT, createApprovedCall())).text()).toBe('seen');
    });
  },
);

describe.each(Object.entries(DECORATORS))('%s of an unfolding tool', (_, { decorate: decorated, guards }) => {
  const unfolding = holdfast.defineUnfolding({ name: 'office', description: 'Opens.', tools: [inner] });
  const isGuard = (one: AnyTool): one is AnyTool => one.name === 'guard';
  const addGuard = (tool: AnyTool): AnyTool => decorate(tool, { name: 'guard', call: tool.call });

  it('keeps the guards of the inner tools, whether it is outside or inside the guards', () => {
    const around = decorated(decorate(unfolding, { adopt: addGuard })).adopt?.(inner);
    expect(around && holdfast.unwrapAs(around, isGuard)).toBeDefined();
    const inside = holdfast.requireApproval(decorated(unfolding), 'May I?').adopt?.(inner);
    expect(inside && isForwarded(inside.call, inner.call)).toBe(false);
    expect(inside && unwrap(inside, inner)).toBe(inner);
  });

  it(`${guards ? 'guards' : 'does not affect'} the inner tools`, () => {
    const adopted = decorated(unfolding).adopt?.(inner);
    if (!guards) return expect(adopted).toBeUndefined();
    expect(isForwarded(decorated(unfolding).call, unfolding.call)).toBe(true);
    expect(adopted && isForwarded(adopted.call, inner.call)).toBe(false);
    expect(adopted && unwrap(adopted, inner)).toBe(inner);
  });
});

describe.each(Object.entries(DECORATORS).filter(([, { replaces }]) => !replaces))(
  'a call of %s',
  (_, { decorate: decorated }) => {
    it('receives the input and the invocation unchanged, with the context, secrets and signal (DEC-03, CTX-09)', async () => {
      const { tool, given } = createProbe();
      const call = createApprovedCall({
        context: ToolCallContext.of({ tenant: 'acme' }),
        secrets: Secrets.of({ KEY: 'hunter22' }),
        signal: new AbortController().signal,
      });
      expect((await decorated(tool).call(INPUT, call)).text()).toBe('seen');
      expect(given).toEqual([{ input: INPUT, call }]);
      expect(given[0]?.call).toBe(call);
    });

    it('passes on the empty context itself if the call has no context (DEC-03)', async () => {
      const { tool, given } = createProbe();
      await decorated(tool).call(INPUT, createApprovedCall());
      expect(given[0]?.call.context).toBe(ToolCallContext.EMPTY);
    });

    it('passes on a control-flow signal, whether it is thrown or returned with a result (DEC-23)', async () => {
      const signal = { type: 'exit', reason: 'Enough.' } as const;
      const throwing = decorated(createProbe(() => Promise.reject(exitEarly('Enough.'))).tool);
      await expect(throwing.call(INPUT, createApprovedCall())).rejects.toMatchObject({
        name: 'SignalError',
        signal,
      });
      const sending = decorated(
        createProbe(async () => createToolResult({ type: 'text', content: 'Bye.', signal })).tool,
      );
      expect(await sending.call(INPUT, createApprovedCall())).toEqual(
        createToolResult({ type: 'text', content: 'Bye.', signal }),
      );
    });
  },
);

describe.each(Object.entries(DECORATORS).filter(([, { waits }]) => !waits))(
  '%s in a turn',
  (_, { decorate: decorated }) => {
    it('ends the turn if its tool sends a signal (DEC-23)', async () => {
      const leaves = defineTool({
        name: 'leave',
        description: 'Leaves.',
        input: v.object({ at: v.string() }),
        run: () => {
          throw exitEarly('Enough.');
        },
      });
      const tool = decorated(leaves);
      const agent = defineAgent({
        name: 'clerk',
        description: 'Helps.',
        instructions: 'Help.',
        tools: [tool],
      });
      const replies = [{ calls: [{ name: tool.name, input: INPUT }] }, 'Done.'];
      expect(await createTestSession(agent, { replies }).send('Go.')).toMatchObject({
        outcome: 'cancelled',
        signal: { type: 'exit', reason: 'Enough.' },
      });
    });
  },
);

const unwrap = (decorated: AnyTool, tool: AnyTool) => holdfast.unwrapAs(decorated, isProbe(tool));

describe('unwrapAs', () => {
  it('returns the first match in the chain of decorators, including the tool itself, or `undefined` (DEC-02)', () => {
    const { tool } = createProbe();
    const below = decorate(tool, { serial: 'below' });
    const above = decorate(below, { returnDirect: false });
    const isSerial = (one: AnyTool): one is AnyTool => one.serial === 'below';
    expect(holdfast.unwrapAs(above, isSerial)).toBe(above);
    expect(holdfast.unwrapAs(above, (one): one is AnyTool => one.returnDirect)).toBe(below);
    expect(holdfast.unwrapAs(above, (one): one is AnyTool => one.name === 'other')).toBeUndefined();
  });

  it('returns the tool under all decorators (DEC-01)', () => {
    const { tool } = createProbe();
    const chain = Object.entries(DECORATORS).filter(([name]) => name !== 'withParameter');
    const all = chain.reduce((decorated, [, one]) => one.decorate(decorated), tool);
    expect(unwrap(all, tool)).toBe(tool);
  });
});
