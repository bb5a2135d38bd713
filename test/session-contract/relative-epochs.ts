import type { Leased, SessionPort } from '../../src/journal/session-port.ts';

/** The port, with its epochs counted from the first lease that it gave, as 1: real ones begin anywhere. */
export function relativeEpochs(port: SessionPort): SessionPort {
  let base = 0;
  const relative = <T extends { readonly status: string }>(answer: T): T => {
    const leased = answer as T & Partial<Leased>;
    if (leased.status !== 'leased' || leased.epoch === undefined) return answer;
    if (base === 0) base = leased.epoch - 1;
    return { ...answer, epoch: leased.epoch - base };
  };
  return {
    ...port,
    begin: async (request) => relative(await port.begin(request)),
    resume: async (request) => relative(await port.resume(request)),
    append: (epoch, from, change) => port.append(base + epoch, from, change),
    renew: (epoch) => port.renew(base + epoch),
  };
}
