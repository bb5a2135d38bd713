import { env } from 'cloudflare:workers';

/** The vars of the attacked Worker, as the runner sets them. */
interface AttackedEnv {
  /** The URL of the world, where effects are counted and tools wait. */
  readonly WORLD_URL: string;
  /** The URL of the hostile MCP server. */
  readonly REMOTE_URL: string;
  readonly MODEL_URL: string;
  readonly MODEL_KEY: string;
  /** The key that signs tokens. */
  readonly JWT_KEY: string;
  /** A credential of the tools, which must stay secret. */
  readonly API_KEY: string;
  /** The bearer token for the MCP server. */
  readonly REMOTE_TOKEN: string;
  /** A secret that definitions receive in place of its name. */
  readonly MISPLACED: string;
  /** The names of planted holes, separated by commas. The attacks must find them. */
  readonly HOLE: string;
}

export const settings: AttackedEnv = env as unknown as AttackedEnv; // the runner sets all vars

/** Returns `true` if this hole is planted. */
export const hasHole = (hole: string): boolean => settings.HOLE.split(',').includes(hole);
