/**
 * Returns the incarnation of a session, which distinguishes it from an erased one of the same name, by the body of the event that opens
 * it. An event that somebody else stored may have none.
 */
export function incarnationOf(opening: string | null): string | undefined {
  try {
    const { incarnation }: { incarnation?: unknown } = Object(JSON.parse(opening ?? 'null'));
    return typeof incarnation === 'string' ? incarnation : undefined;
  } catch {
    return undefined;
  }
}
