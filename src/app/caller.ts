/** Who a request comes from. A session belongs to `tenant`, or else to `id`. */
export interface Caller {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

/** Whose the caller's sessions are. */
export const ownerOf = ({ id, tenant }: Pick<Caller, 'id' | 'tenant'>): string => tenant ?? id;
