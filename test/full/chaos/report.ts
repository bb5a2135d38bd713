import type { EffectFigures, Figures } from './figures.ts';
import type { Finding } from './ledger.ts';

/** The maximum number of findings in the report. */
const MAX_SHOWN = 40;

/** Formats the figures and the violations of a run. */
export function formatReport(figures: Figures, findings: readonly Finding[]): string {
  const { accepted, outcomes, uncertain, refused, joined, tookOver, queued, steered, effects } = figures;
  return [
    `messages: accepted ${accepted}: ${formatCounts(Object.entries(outcomes))}; without a key, and nobody can know: ${uncertain}; never taken: ${refused}`,
    `requests that joined a turn ${joined}; told to queue ${queued}; taken in by a running turn ${steered}`,
    `turns taken over from a dead process ${tookOver}`,
    '',
    formatRow([
      'calls and effects',
      'told done',
      'told unknown',
      'not run',
      'seen',
      'run again',
      'unknown, seen',
    ]),
    ...effects.map(formatEffectRow),
    ...(findings.length > 0 ? ['', ...formatLines(findings)] : []),
  ].join('\n');
}

function formatLines(findings: readonly Finding[]): readonly string[] {
  const byRule = Object.entries(Object.groupBy(findings, ({ rule }) => rule));
  return [
    `findings: ${formatCounts(byRule.map(([rule, list]) => [rule, list?.length ?? 0]))}`,
    ...findings.slice(0, MAX_SHOWN).map(({ rule, where, what }) => `  ${rule}: ${where}: ${what}`),
    ...(findings.length > MAX_SHOWN ? [`  and ${findings.length - MAX_SHOWN} more`] : []),
  ];
}

const formatCounts = (named: readonly (readonly [string, number])[]): string =>
  named.map(([name, times]) => `${name} ${times}`).join(', ');

const NOTES: Readonly<Record<EffectFigures['tool'], string>> = {
  read: 'read',
  idempotent: 'idempotent',
  once: 'once',
  reconciled: 'once, reconciles',
  approved: 'once, approved',
};

const formatEffectRow = ({ tool, told, seen, again, unknownSeen }: EffectFigures): string =>
  formatRow(
    tool === 'read'
      ? [NOTES[tool], told.done, told.unknown, told['not-run'], '-', '-', '-'].map(String)
      : [NOTES[tool], told.done, told.unknown, told['not-run'], seen, again, unknownSeen].map(String),
  );

const formatRow = (cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(20) : cell.padStart(15))).join('');
