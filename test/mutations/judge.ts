/** The result of an entry's tests for a mutation. */
export type Verdict =
  /** Contains the first test that failed. Also used for tests that did not end, if the entry allows this. */
  | { readonly is: 'caught'; readonly by: string }
  /** All tests passed, so the defect was not detected. */
  | { readonly is: 'survived' }
  /** The tests could not run or did not end, so there is no verdict. */
  | { readonly is: 'not-run'; readonly why: string }
  /** The entry is invalid. */
  | { readonly is: 'error'; readonly why: string };

/** The part of Vitest's JSON report that is used here. */
export interface Report {
  readonly success: boolean;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  /** The absolute path of the file. */
  readonly name: string;
  readonly startTime: number;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages?: readonly string[] | null;
  }[];
}

/** How a run of tests ended: with a report, without one, or with a timeout. */
export type TestRun =
  | { readonly ended: 'reported'; readonly report: Report }
  | { readonly ended: 'broken'; readonly output: string }
  | { readonly ended: 'too-late'; readonly afterMs: number };

/** The part of a mutation's entry that its verdict depends on. */
export interface TestedMutation {
  readonly tests: readonly string[];
  readonly hangs?: true;
}

/**
 * Returns the verdict of a run. A mutation is caught only by a test that ran and failed. It survives only if
 * all of its test files ran and passed. `toName` formats a file name.
 */
export function judge(
  ran: TestRun,
  { tests, hangs }: TestedMutation,
  toName: (file: string) => string,
): Verdict {
  const mayHang = hangs === true;
  if (ran.ended === 'broken') {
    return { is: 'not-run', why: `the tests did not run: ${getLastWords(ran.output)}` };
  }
  if (ran.ended === 'too-late')
    return judgeHang(`the tests did not end within ${ran.afterMs / 1_000} s`, mayHang);
  const { testResults, success } = ran.report;
  const files = testResults.toSorted((a, b) => a.startTime - b.startTime);
  const failed = files.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => ({ name, ...test })),
  );
  const unloaded = files.find(isUnloaded);
  if (unloaded) {
    return {
      is: 'not-run',
      why: `${toName(unloaded.name)} could not be run: ${getFirstLine(unloaded.message)}`,
    };
  }
  const answered = failed.find(({ failureMessages }) => !isTimeout(failureMessages));
  const [first] = answered ? [answered] : failed;
  if (first) {
    const by = `${toName(first.name)} > ${first.fullName}`;
    return answered ? { is: 'caught', by } : judgeHang(`${by} timed out`, mayHang);
  }
  const missing = tests.find((file) => !hasPassed(ran.report, file));
  if (missing !== undefined) return { is: 'not-run', why: `no test of ${missing} ran and passed` };
  if (success) return { is: 'survived' };
  return { is: 'not-run', why: 'no test was red, and the run was: something failed outside of the tests' };
}

/**
 * Returns the test files without a clear result: they could not be run, timed out, or are missing. Returns
 * all files if the whole run had no result.
 */
export function findOpenTests(ran: TestRun, { tests, hangs }: TestedMutation): readonly string[] {
  if (ran.ended !== 'reported') return ran.ended === 'too-late' && hangs ? [] : tests;
  const { testResults, success } = ran.report;
  const findResults = (file: string): readonly FileReport[] =>
    testResults.filter(({ name }) => isSameFile(name, file));
  const unloaded = tests.filter((file) => findResults(file).some(isUnloaded));
  const failures = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );
  const isLate = ({ assertionResults }: FileReport): boolean =>
    assertionResults.some((test) => test.status === 'failed' && isTimeout(test.failureMessages));
  // A run stops at the first failed test, which is sufficient for a verdict.
  const isCaught = failures.some((test) => hangs || !isTimeout(test.failureMessages));
  if (unloaded.length > 0 || isCaught) return unloaded;
  if (!success && failures.length === 0) return tests; // the failure is outside of the tests
  return tests.filter((file) => !hasPassed(ran.report, file) || findResults(file).some(isLate));
}

/** Replaces the results of these files in a report by the results of separate runs. */
export function withResults(report: Report, alone: ReadonlyMap<string, Report>): Report {
  const isReplaced = ({ name }: FileReport): boolean =>
    [...alone.keys()].some((file) => isSameFile(name, file));
  const testResults = [
    ...report.testResults.filter((result) => !isReplaced(result)),
    ...[...alone.values()].flatMap((own) => own.testResults),
  ];
  const isPassed = testResults.every(({ status }) => status === 'passed');
  return { success: isPassed && [...alone.values()].every(({ success }) => success), testResults };
}

const isSameFile = (name: string, file: string): boolean => name.endsWith(`/${file}`);

/** Returns `true` if a file failed without a failed test: it could not be loaded, or a hook failed. */
const isUnloaded = ({ status, assertionResults }: FileReport): boolean =>
  status === 'failed' && assertionResults.every((test) => test.status !== 'failed');

const hasPassed = ({ testResults }: Report, file: string): boolean =>
  testResults.some(
    ({ name, assertionResults }) =>
      isSameFile(name, file) && assertionResults.some(({ status }) => status === 'passed'),
  );

const judgeHang = (what: string, mayHang: boolean): Verdict =>
  mayHang
    ? { is: 'caught', by: what }
    : { is: 'not-run', why: `${what}: an entry that may hang says \`hangs\`` };

const isTimeout = (messages: readonly string[] | null | undefined): boolean =>
  messages?.some((message) => /(?:Test|Hook) timed out in \d+ms/.test(message)) ?? false;

const getFirstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

const getLastWords = (output: string): string => output.trim().split('\n').slice(-3).join(' | ').slice(-500);

/** Returns why an unchanged run of these tests is not usable, or `undefined` if all of them pass. */
export function findUnusableReason(ran: TestRun, tests: readonly string[]): string | undefined {
  if (ran.ended === 'broken') return `the tests did not run: ${getLastWords(ran.output)}`;
  if (ran.ended === 'too-late') return `the tests did not end within ${ran.afterMs / 1_000} s`;
  const { testResults, success } = ran.report;
  const missing = tests.find((file) => !hasPassed(ran.report, file));
  if (missing !== undefined) return `no test of ${missing} ran and passed`;
  const own = testResults.filter(({ name }) => tests.some((file) => isSameFile(name, file)));
  const red = own.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => `${name} > ${test.fullName}`),
  );
  if (red.length > 0) return red.join('\n');
  const unloaded = own.find(isUnloaded);
  if (unloaded) return `${unloaded.name} could not be run: ${getFirstLine(unloaded.message)}`;
  const isExplained = success || testResults.some(({ status }) => status === 'failed');
  return isExplained ? undefined : 'something failed outside of the tests';
}

/** Summarizes the number of mutations by verdict. */
export function formatSummary(verdicts: readonly Verdict[]): string {
  const countVerdicts = (is: Verdict['is']): number => verdicts.filter((one) => one.is === is).length;
  return (
    `${countVerdicts('caught')} of ${verdicts.length} caught, ${countVerdicts('survived')} survived, ` +
    `${countVerdicts('not-run')} could not be run, ${countVerdicts('error')} with an entry that is wrong`
  );
}
