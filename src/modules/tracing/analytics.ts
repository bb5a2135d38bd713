/** Writes measurements to Workers Analytics Engine. */
import type { AttributeValue } from './conventions.ts';
import type { Measurement } from './measures.ts';

/** The part of an Analytics Engine binding that is used here. */
export interface AnalyticsDataset {
  writeDataPoint(point: {
    readonly indexes: string[];
    readonly blobs: string[];
    readonly doubles: number[];
  }): void;
}

/** Returns whether a value is an Analytics Engine binding. */
export const isDataset = (value: unknown): value is AnalyticsDataset =>
  typeof value === 'object' && value !== null && 'writeDataPoint' in value;

/** The attributes in `blob2` and later, in this order. `blob1` is the name of the measure. */
export const BLOB_ATTRIBUTES = [
  'gen_ai.operation.name',
  'gen_ai.agent.name',
  'gen_ai.request.model',
  'gen_ai.provider.name',
  'gen_ai.tool.name',
  'holdfast.outcome',
  'error.type',
] as const;

/** The maximum number of data points that one invocation can write. */
const MAX_POINTS = 250;

/**
 * Writes a data point for each measurement, with its name as the index and `blob1`, and its value as
 * `double1`.
 */
export function writePoints(dataset: AnalyticsDataset, measurements: readonly Measurement[]): void {
  for (const { measure, value, attributes } of measurements.slice(0, MAX_POINTS)) {
    const blobs = BLOB_ATTRIBUTES.map((name) => toText(attributes[name]));
    dataset.writeDataPoint({
      indexes: [measure.name],
      blobs: [measure.name, ...blobs],
      doubles: [value],
    });
  }
}

const toText = (value: AttributeValue | undefined): string => String(value ?? '').slice(0, 256);
