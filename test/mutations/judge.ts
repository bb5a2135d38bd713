/** What the tests that an entry names say of a mutation. */
export type Verdict =
  /** A test was red, and this one first; or the tests did not end, and the entry says that they may not. */
  | { readonly is: 'caught'; readonly by: string }
  /** All of them were green. */
  | { readonly is: 'survived' }
  /** The entry is wrong, or says too little: nothing is known of the guard. */
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

/** Only a test that ran and failed catches a mutation. A file that cannot be loaded says that the mutation is no code. */
export function judge(ran: Ran, mayHang: boolean, toName: (file: string) => string): Verdict {
  if (ran.ended === 'broken') return { is: 'error', why: `the tests did not run: ${lastWords(ran.output)}` };
  if (ran.ended === 'too-late') return hung(`the tests did not end within ${ran.afterMs / 1_000} s`, mayHang);
  const { testResults, success } = ran.report;
  const files = testResults.toSorted((a, b) => a.startTime - b.startTime);
  const failed = files.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => ({ name, ...test })),
  );
  const unloaded = files.find(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  if (unloaded) {
    return { is: 'error', why: `${toName(unloaded.name)} could not be run: ${firstLine(unloaded.message)}` };
  }
  const answered = failed.find(({ failureMessages }) => !isTimeout(failureMessages));
  const [first] = answered ? [answered] : failed;
  if (first) {
    const by = `${toName(first.name)} > ${first.fullName}`;
    return answered ? { is: 'caught', by } : hung(`${by} timed out`, mayHang);
  }
  if (success) return { is: 'survived' };
  return { is: 'error', why: 'no test was red, and the run was: something failed outside of the tests' };
}

const hung = (what: string, mayHang: boolean): Verdict =>
  mayHang
    ? { is: 'caught', by: what }
    : { is: 'error', why: `${what}: an entry that may hang says \`hangs\`` };

const isTimeout = (messages: readonly string[] | null | undefined): boolean =>
  messages?.some((message) => /(?:Test|Hook) timed out in \d+ms/.test(message)) ?? false;

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

const lastWords = (output: string): string => output.trim().split('\n').slice(-3).join(' | ').slice(-500);

/** Why nothing can be learned from the tests, which must be green before anything is changed; `undefined` when they are. */
export function notGreen(ran: Ran, tests: readonly string[]): string | undefined {
  if (ran.ended === 'broken') return `the tests did not run: ${lastWords(ran.output)}`;
  if (ran.ended === 'too-late') return `the tests did not end within ${ran.afterMs / 1_000} s`;
  const { testResults, success } = ran.report;
  const isRun = (file: string): boolean =>
    testResults.some(
      ({ name, assertionResults }) =>
        name.endsWith(`/${file}`) && assertionResults.some(({ status }) => status === 'passed'),
    );
  const missing = tests.find((file) => !isRun(file));
  if (missing !== undefined) return `no test of ${missing} ran and passed`;
  const red = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map((test) => `${name} > ${test.fullName}`),
  );
  if (red.length > 0) return red.join('\n');
  return success ? undefined : 'something failed outside of the tests';
}
