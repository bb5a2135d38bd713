import { useEffect, useState } from 'preact/hooks';

/** Milliseconds between updates of a running bar. */
const TICK = 250;

/** Returns the current time. Updates it every quarter of a second while `isRunning` is `true`. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
