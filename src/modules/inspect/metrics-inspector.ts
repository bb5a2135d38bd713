import type { ResultData } from '../../tool/tool-result.ts';
import type { LoopInspector } from './inspector.ts';

/** What a measurement belongs to. */
export type MetricTags = Readonly<Record<string, string>>;

/** Takes measurements: the library's, and those of tools that were given the same object. */
export interface Metrics {
  count(name: string, by: number, tags: MetricTags): void;
  value(name: string, value: number, tags: MetricTags): void;
}

/** Takes measurements and forgets them. */
export const NO_METRICS: Metrics = { count: () => {}, value: () => {} };

/**
 * Measures the tool calls of an agent: one count of `holdfast.tool.success`, `holdfast.tool.failure`,
 * `holdfast.tool.error` or `holdfast.tool.skipped` a call, and `holdfast.tool.duration` in milliseconds, tagged with the `tool`, and the `agent` or `unknown`.
 */
export const metricsInspector = (metrics: Metrics = NO_METRICS): LoopInspector => ({
  afterToolCall({ call, path, result, ms }) {
    const [agent = ''] = path.split('/');
    const tags = { tool: call.name, agent: agent === '' ? 'unknown' : agent };
    metrics.count(`holdfast.tool.${callOutcome(result)}`, 1, tags);
    metrics.value('holdfast.tool.duration', ms, tags);
  },
});

/**
 * What came of a call, for whoever counts calls. `failure`: the tool, or whoever was asked, said no. `error`: its
 * code threw, or nobody knows. `skipped`: it was not run, since a limit was met or the loop had ended.
 */
export type CallOutcome = 'success' | 'failure' | 'error' | 'skipped';

/** Decides by the type of a result, never by its words. */
export function callOutcome(result: ResultData): CallOutcome {
  if (result.type !== 'error') return 'success';
  switch (result.reason) {
    case 'limit':
    case 'skipped':
      return 'skipped';
    case 'threw':
    case 'timeout':
    case 'cancelled':
    case 'unknown-outcome':
      return 'error';
    default:
      return result.signal ? 'error' : 'failure';
  }
}
