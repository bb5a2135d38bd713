/** Internals for tests: the spans of a timeline before they are sent. */
export { rowsFor } from '../../src/modules/tracing/export.ts';
export { toTraces } from '../../src/modules/tracing/otlp.ts';
export { spansOf } from '../../src/modules/tracing/spans.ts';
