/** Predicates that were reported already. */
const reported = new WeakSet<object>();

/**
 * Whether somebody's predicate answers `true`; nothing else is a yes. Plain JavaScript may hand in an `async` one, whose
 * promise would pass for one whatever it comes to: that is a no, and the log says once what is wrong.
 *
 * @param whose names the predicate in the log.
 * @throws what the predicate throws.
 */
export function saysTrue<Args extends readonly unknown[]>(
  whose: string,
  predicate: (...args: Args) => unknown,
  ...args: Args
): boolean {
  const answer = predicate(...args);
  if (!(answer instanceof Promise)) return answer === true;
  answer.catch(() => undefined); // Nobody waits for it.
  if (!reported.has(predicate)) {
    reported.add(predicate);
    console.error(`holdfast: ${whose} answers a promise, which is not true: it must be synchronous`);
  }
  return false;
}
