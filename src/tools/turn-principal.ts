/** Whose turn it is, as far as the journal knows: no role, no credential. */
export interface TurnPrincipal {
  readonly id: string;
  readonly tenant?: string | undefined;
}
