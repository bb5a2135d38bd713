/** Formats traces and metrics as OTLP JSON, version 1. */
import type { Attributes, AttributeValue } from './conventions.ts';
import type { Measure, Measurement } from './measures.ts';
import type { TurnSpan } from './spans.ts';

/** The name of the instrumentation in exported data. */
const OTLP_SCOPE = { name: 'holdfast/tracing' };

const SPAN_KINDS = { internal: 1, client: 3 } as const;
const ERROR_STATUS = 2;
const DELTA_TEMPORALITY = 1;

/** The flags of a span: sampled, and whether its parent belongs to another process. */
const SAMPLED_FLAG = 0x01;
const KNOWS_PARENT_FLAG = 0x100;
const REMOTE_PARENT_FLAG = 0x200;

/** Returns the body of a request to `/v1/traces`. */
export const toTraces = (resource: Attributes, spans: readonly TurnSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes(resource) },
      scopeSpans: [{ scope: OTLP_SCOPE, spans: spans.map(toSpan) }],
    },
  ],
});

const toSpan = (span: TurnSpan): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
  flags: SAMPLED_FLAG | KNOWS_PARENT_FLAG | (span.hasRemoteParent ? REMOTE_PARENT_FLAG : 0),
  name: toSafeText(span.name, MAX_NAME_LENGTH),
  kind: SPAN_KINDS[span.kind],
  startTimeUnixNano: toNanoseconds(span.start),
  endTimeUnixNano: toNanoseconds(span.end),
  attributes: toAttributes(span.attributes),
  ...(span.events.length > 0 && {
    events: span.events.map(({ name, at, attributes }) => ({
      name,
      timeUnixNano: toNanoseconds(at),
      attributes: toAttributes(attributes),
    })),
  }),
  ...(span.droppedEvents > 0 && { droppedEventsCount: span.droppedEvents }),
  ...(span.error !== undefined && { status: { code: ERROR_STATUS } }),
});

/** The period that measurements belong to, in milliseconds since the epoch. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Returns the body of a request to `/v1/metrics`: a histogram for each measure, with delta temporality. */
export const toMetrics = (
  resource: Attributes,
  measurements: readonly Measurement[],
  period: Period,
): object => ({
  resourceMetrics: [
    {
      resource: { attributes: toAttributes(resource) },
      scopeMetrics: [
        {
          scope: OTLP_SCOPE,
          metrics: [...groupBy(measurements, ({ measure }) => measure.name)].map(([, of]) =>
            toMetric(of, period),
          ),
        },
      ],
    },
  ],
});

function toMetric(measurements: readonly Measurement[], period: Period): object {
  const { measure } = measurements[0] as Measurement; // each group has at least one
  const { name, unit, description } = measure;
  const byAttributes = groupBy(measurements, ({ attributes }) => JSON.stringify(toAttributes(attributes)));
  const dataPoints = [...byAttributes.values()].map((of) => toPoint(measure, of, period));
  return { name, unit, description, histogram: { aggregationTemporality: DELTA_TEMPORALITY, dataPoints } };
}

function toPoint({ bounds }: Measure, measurements: readonly Measurement[], { start, end }: Period): object {
  const values = measurements.map(({ value }) => value);
  const counts = [...bounds, Infinity].map(() => 0);
  for (const value of values) {
    const bucket = bounds.findIndex((bound) => value <= bound);
    const at = bucket < 0 ? bounds.length : bucket;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return {
    attributes: toAttributes(measurements[0]?.attributes ?? {}),
    startTimeUnixNano: toNanoseconds(start),
    timeUnixNano: toNanoseconds(end),
    count: String(values.length),
    sum: values.reduce((sum, value) => sum + value, 0),
    min: values.reduce((one, other) => Math.min(one, other), Infinity),
    max: values.reduce((one, other) => Math.max(one, other), -Infinity),
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Converts to nanoseconds, which a JavaScript number cannot represent exactly. */
const toNanoseconds = (ms: number): string => String(BigInt(Math.round(ms)) * 1_000_000n);

const toAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(key, value) }],
  );

/** The attributes whose numbers can have a fraction. Receivers require one type for each attribute. */
const DOUBLE_ATTRIBUTES: readonly string[] = ['holdfast.usage.cost'];

function toValue(key: string, value: AttributeValue): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return DOUBLE_ATTRIBUTES.includes(key) ? { doubleValue: value } : { intValue: String(value) };
  if (typeof value === 'string') return { stringValue: toSafeText(value) };
  return { arrayValue: { values: value.map((one) => ({ stringValue: toSafeText(one) })) } };
}

/** The maximum numbers of characters of a name and of other texts. Models can invent long tool names. */
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 131_072;

/** Returns the beginning of a text without an unpaired surrogate, which Protocol Buffers do not accept. */
const toSafeText = (text: string, most = MAX_TEXT_LENGTH): string => text.slice(0, most).toWellFormed();
