/** An invocation's calls to the session's object count as subrequests. */
import { describe, expect, it } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';

describe('the port to a session’s object', () => {
  /** A session whose object fails this many times before it responds, and the number of calls to it. */
  function countSent(failures: number) {
    let messages = 0;
    let left = failures;
    const answer = async () => {
      left -= 1;
      if (left >= 0) throw new Error('Network connection lost.');
      throw new TypeError('The answer does not matter.');
    };
    const getByName = () => new Proxy({}, { get: () => answer });
    const pauses = {
      after: (_: number, run: () => void) => {
        run();
        return () => {};
      },
      onSend: () => {
        messages += 1;
      },
    };
    const port = createObjectSession({ getByName } as never, 's', { pauses }); // only these properties are read
    return { port, messages: () => messages };
  }

  it('counts every call of any method', async () => {
    const methods = Object.keys(countSent(0).port) as (keyof SessionPort)[];
    for (const method of methods) {
      const { port, messages } = countSent(0);
      await expect(Reflect.apply(port[method], port, [{ start: {} }, {}, {}])).rejects.toThrow(
        'does not matter',
      );
      expect([method, messages()]).toEqual([method, 1]);
    }
    expect(methods.length).toBe(14);
  });

  it('counts a retried call once for each attempt', async () => {
    const { port, messages } = countSent(2);
    await expect(port.renew(1)).rejects.toThrow('does not matter');
    expect(messages()).toBe(3);
  });
});
