import { env } from 'cloudflare:workers';

/** The vars of the attacked Worker, as the runner sets them. */
interface AttackedEnv {
  /** Where effects happen, and where tools wait. */
  readonly WORLD_URL: string;
  /** Where the MCP server of an enemy answers. */
  readonly REMOTE_URL: string;
  /** Where the model answers. */
  readonly MODEL_URL: string;
  readonly MODEL_KEY: string;
  /** The key that signs tokens. */
  readonly JWT_KEY: string;
  /** A credential of the tools, which must stay secret. */
  readonly API_KEY: string;
  /** The bearer token for the MCP server. */
  readonly REMOTE_TOKEN: string;
  /** A secret that definitions are given in place of its name. */
  readonly MISPLACED: string;
  /** Holes that are planted, with commas between, to see that the attacks find them. */
  readonly HOLE: string;
}

export const settings: AttackedEnv = env as unknown as AttackedEnv; // the runner sets each of them

/** Tells whether this hole is planted. */
export const hasHole = (hole: string): boolean => settings.HOLE.split(',').includes(hole);
