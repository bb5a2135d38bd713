/** Defines the measures of a turn for all receivers. */
import type { LoopNode, TurnTimeline } from '../timeline/timeline.ts';
import { type Attributes, toProviderName } from './conventions.ts';
import { computeRunStart, takeOvers } from './spans.ts';

/** A measure, as a histogram. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The upper bounds of the buckets. */
  readonly bounds: readonly number[];
}

export interface Measurement {
  readonly measure: Measure;
  readonly value: number;
  readonly attributes: Attributes;
}

const SECOND_BOUNDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 327.68, 1310.72,
  5242.88,
];
const TOKEN_BOUNDS = [
  1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
];

export const MEASURES = {
  turn: {
    name: 'gen_ai.invoke_agent.duration',
    unit: 's',
    description: 'Duration of turns and nested loops, including waits.',
    bounds: SECOND_BOUNDS,
  },
  model: {
    name: 'gen_ai.client.inference.duration',
    unit: 's',
    description: 'Duration of model calls, including attempts of invocations that died.',
    bounds: SECOND_BOUNDS,
  },
  tool: {
    name: 'gen_ai.execute_tool.duration',
    unit: 's',
    description: 'Duration of tool calls, including waits.',
    bounds: SECOND_BOUNDS,
  },
  inputTokens: {
    name: 'gen_ai.client.inference.operation.input_tokens',
    unit: '{token}',
    description: 'Input tokens of a model call.',
    bounds: TOKEN_BOUNDS,
  },
  outputTokens: {
    name: 'gen_ai.client.inference.operation.output_tokens',
    unit: '{token}',
    description: 'Output tokens of a model call.',
    bounds: TOKEN_BOUNDS,
  },
  cost: {
    name: 'holdfast.turn.cost',
    unit: 'USD',
    description: 'Cost of a turn whose models have prices.',
    bounds: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
  },
  takeOvers: {
    name: 'holdfast.turn.take_overs',
    unit: '{take_over}',
    description: 'Invocations of a turn that died.',
    bounds: [0, 1, 2, 4, 8, 16],
  },
} as const satisfies { readonly [name: string]: Measure };

/** Returns all measurements of an ended turn. Attributes have few values, so that receivers can group by them. */
export function collectMeasurements(timeline: TurnTimeline, agent: string): readonly Measurement[] {
  const { loop, usage, error } = timeline;
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent };
  const ofTurn = { ...attributes, 'holdfast.outcome': timeline.outcome };
  return [
    ...toDurationMeasurement(MEASURES.turn, timeline, { ...ofTurn, 'error.type': error?.type }),
    ...(usage.cost === undefined ? [] : [{ measure: MEASURES.cost, value: usage.cost, attributes: ofTurn }]),
    { measure: MEASURES.takeOvers, value: takeOvers(timeline), attributes: ofTurn },
    ...measureLoop(loop),
  ];
}

const measureLoop = ({ iterations }: LoopNode): Measurement[] =>
  iterations.flatMap(({ model, calls }) => [...measureModelCall(model), ...calls.flatMap(callMeasurements)]);

type Iteration = LoopNode['iterations'][number];

function measureModelCall(node: Iteration['model']): Measurement[] {
  const { model, usage, planned } = node;
  if (planned) return [];
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': toProviderName(node),
    'gen_ai.request.model': model,
  };
  const error = model === undefined ? 'no_reply' : undefined;
  return [
    ...toDurationMeasurement(MEASURES.model, node, { ...attributes, 'error.type': error }),
    ...(usage
      ? [
          { measure: MEASURES.inputTokens, value: usage.inputTokens, attributes },
          { measure: MEASURES.outputTokens, value: usage.outputTokens, attributes },
        ]
      : []),
  ];
}

function callMeasurements(call: Iteration['calls'][number]): Measurement[] {
  const { tool, outcome, reason, loop } = call;
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    // Omits unknown names, since a model can invent any number of them.
    'gen_ai.tool.name': reason === 'unknown-tool' ? undefined : tool,
    'error.type': outcome === 'error' ? (reason ?? 'tool_error') : undefined,
  };
  const nested = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': loop?.name };
  return [
    ...toDurationMeasurement(
      MEASURES.tool,
      { start: computeRunStart(call), ...(call.end !== undefined && { end: call.end }) },
      attributes,
    ),
    ...(loop ? [...toDurationMeasurement(MEASURES.turn, loop, nested), ...measureLoop(loop)] : []),
  ];
}

const toDurationMeasurement = (
  measure: Measure,
  { start, end }: { readonly start: number; readonly end?: number },
  attributes: Attributes,
): Measurement[] => (end === undefined ? [] : [{ measure, value: (end - start) / 1000, attributes }]);
