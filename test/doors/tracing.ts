/** Internals for tests: the spans of a timeline before they are sent. */
export { createRows } from '../../src/modules/tracing/export.ts';
export { toTraces } from '../../src/modules/tracing/otlp.ts';
export { toSpans } from '../../src/modules/tracing/spans.ts';
