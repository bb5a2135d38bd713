/** What the tests that an entry names say of a mutation. */
export type Verdict =
  /** A test was red, and this one first; or the tests did not end, and the entry says that they may not. */
  | { readonly is: 'caught'; readonly by: string }
  /** All of them were green. */
  | { readonly is: 'survived' }
  /** The tests said nothing: they could not be run, or came to no end. The guard may be good or bad. */
  | { readonly is: 'not-run'; readonly why: string }
  /** The entry is wrong. */
  | { readonly is: 'error'; readonly why: string };

/** What vitest says of a run as JSON, as far as it is read here. */
export interface Report {
  readonly success: boolean;
  readonly testResults: readonly RanFile[];
}

interface RanFile {
  /** Its absolute path. */
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

/** How a run of tests ended: with a report, without one, or not at all. */
export type Ran =
  | { readonly ended: 'reported'; readonly report: Report }
  | { readonly ended: 'broken'; readonly output: string }
  | { readonly ended: 'too-late'; readonly afterMs: number };

/** The part of a mutation's entry that its verdict depends on. */
export interface Tested {
  readonly tests: readonly string[];
  readonly hangs?: true;
}

/**
 * Only a test that ran and failed catches a mutation, and a mutation survives only if each of its files ran and passed. `toName`
 * returns how a file is shown.
 */
export function judge(ran: Ran, { tests, hangs }: Tested, toName: (file: string) => string): Verdict {
  const mayHang = hangs === true;
  if (ran.ended === 'broken') {
    return { is: 'not-run', why: `the tests did not run: ${lastWords(ran.output)}` };
  }
  if (ran.ended === 'too-late') return hung(`the tests did not end within ${ran.afterMs / 1_000} s`, mayHang);
  const { testResults, success } = ran.report;
  const files = testResults.toSorted((a, b) => a.startTime - b.startTime);
  const failed = files.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => ({ name, ...test })),
  );
  const unloaded = files.find(isUnloaded);
  if (unloaded) {
    return {
      is: 'not-run',
      why: `${toName(unloaded.name)} could not be run: ${firstLine(unloaded.message)}`,
    };
  }
  const answered = failed.find(({ failureMessages }) => !isTimeout(failureMessages));
  const [first] = answered ? [answered] : failed;
  if (first) {
    const by = `${toName(first.name)} > ${first.fullName}`;
    return answered ? { is: 'caught', by } : hung(`${by} timed out`, mayHang);
  }
  const missing = tests.find((file) => !hasPassed(ran.report, file));
  if (missing !== undefined) return { is: 'not-run', why: `no test of ${missing} ran and passed` };
  if (success) return { is: 'survived' };
  return { is: 'not-run', why: 'no test was red, and the run was: something failed outside of the tests' };
}

/**
 * Returns the test files whose outcome a run leaves open: they could not be run, timed out, or are missing. Returns all of them if the
 * whole run says nothing.
 */
export function leftOpen(ran: Ran, { tests, hangs }: Tested): readonly string[] {
  if (ran.ended !== 'reported') return ran.ended === 'too-late' && hangs ? [] : tests;
  const { testResults, success } = ran.report;
  const resultsOf = (file: string): readonly RanFile[] => testResults.filter(({ name }) => isOf(name, file));
  const unloaded = tests.filter((file) => resultsOf(file).some(isUnloaded));
  const failures = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );
  const isLate = ({ assertionResults }: RanFile): boolean =>
    assertionResults.some((test) => test.status === 'failed' && isTimeout(test.failureMessages));
  // The first red test ends a run: it proves enough, and what did not run after it is of no interest.
  const isCaught = failures.some((test) => hangs || !isTimeout(test.failureMessages));
  if (unloaded.length > 0 || isCaught) return unloaded;
  if (!success && failures.length === 0) return tests; // something failed outside of the tests
  return tests.filter((file) => !hasPassed(ran.report, file) || resultsOf(file).some(isLate));
}

/** Returns a report in which the results of these files are those of runs of their own. */
export function withResults(report: Report, alone: ReadonlyMap<string, Report>): Report {
  const isReplaced = ({ name }: RanFile): boolean => [...alone.keys()].some((file) => isOf(name, file));
  const testResults = [
    ...report.testResults.filter((result) => !isReplaced(result)),
    ...[...alone.values()].flatMap((own) => own.testResults),
  ];
  const isPassed = testResults.every(({ status }) => status === 'passed');
  return { success: isPassed && [...alone.values()].every(({ success }) => success), testResults };
}

const isOf = (name: string, file: string): boolean => name.endsWith(`/${file}`);

/** Whether a file failed without a red test: it could not be loaded, or a hook failed. */
const isUnloaded = ({ status, assertionResults }: RanFile): boolean =>
  status === 'failed' && assertionResults.every((test) => test.status !== 'failed');

const hasPassed = ({ testResults }: Report, file: string): boolean =>
  testResults.some(
    ({ name, assertionResults }) =>
      isOf(name, file) && assertionResults.some(({ status }) => status === 'passed'),
  );

const hung = (what: string, mayHang: boolean): Verdict =>
  mayHang
    ? { is: 'caught', by: what }
    : { is: 'not-run', why: `${what}: an entry that may hang says \`hangs\`` };

const isTimeout = (messages: readonly string[] | null | undefined): boolean =>
  messages?.some((message) => /(?:Test|Hook) timed out in \d+ms/.test(message)) ?? false;

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

const lastWords = (output: string): string => output.trim().split('\n').slice(-3).join(' | ').slice(-500);

/** Returns why nothing can be learned from these tests of a run without changes, or `undefined` if they are green. */
export function notGreen(ran: Ran, tests: readonly string[]): string | undefined {
  if (ran.ended === 'broken') return `the tests did not run: ${lastWords(ran.output)}`;
  if (ran.ended === 'too-late') return `the tests did not end within ${ran.afterMs / 1_000} s`;
  const { testResults, success } = ran.report;
  const missing = tests.find((file) => !hasPassed(ran.report, file));
  if (missing !== undefined) return `no test of ${missing} ran and passed`;
  const own = testResults.filter(({ name }) => tests.some((file) => isOf(name, file)));
  const red = own.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => `${name} > ${test.fullName}`),
  );
  if (red.length > 0) return red.join('\n');
  const unloaded = own.find(isUnloaded);
  if (unloaded) return `${unloaded.name} could not be run: ${firstLine(unloaded.message)}`;
  const isExplained = success || testResults.some(({ status }) => status === 'failed');
  return isExplained ? undefined : 'something failed outside of the tests';
}

/** Returns how many mutations came to each verdict, in words. */
export function summaryOf(verdicts: readonly Verdict[]): string {
  const count = (is: Verdict['is']): number => verdicts.filter((one) => one.is === is).length;
  return (
    `${count('caught')} of ${verdicts.length} caught, ${count('survived')} survived, ` +
    `${count('not-run')} could not be run, ${count('error')} with an entry that is wrong`
  );
}
