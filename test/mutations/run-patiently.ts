import { findOpenTests, type Report, type TestedMutation, type TestRun, withResults } from './judge.ts';

const NO_RESULTS: Report = { success: false, testResults: [] };

/**
 * Runs the tests of an entry together, and then runs each file without a clear result alone, because a busy
 * machine can kill a worker or time out a hook. Returns the first run with these files' results replaced, or
 * the run of a file that again has no report.
 */
export async function runPatiently(
  tested: TestedMutation,
  run: (tests: readonly string[]) => Promise<TestRun>,
): Promise<TestRun> {
  const first = await run(tested.tests);
  const open = findOpenTests(first, tested);
  if (open.length === 0) return first;
  const alone = new Map<string, Report>();
  for (const file of open) {
    const ran = await run([file]);
    if (ran.ended !== 'reported') return ran;
    alone.set(file, ran.report);
  }
  const report = first.ended === 'reported' ? first.report : NO_RESULTS;
  return { ended: 'reported', report: withResults(report, alone) };
}
