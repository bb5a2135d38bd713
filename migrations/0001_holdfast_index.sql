-- The tables of `d1Reports()`, which docs/index-of-sessions.md describes. Times are in milliseconds since the epoch, costs in USD.

-- Owners that have reported. `revision` is the last batch that was stored: an older one that arrives late changes nothing.
-- `erased_at` is when all of the owner was last erased. It is kept for a week.
CREATE TABLE holdfast_owners (
  owner TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  erased_at INTEGER
) WITHOUT ROWID;

-- A row for each session. Tokens and `cost` are of the whole session.
CREATE TABLE holdfast_sessions (
  owner TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  title TEXT,
  status TEXT NOT NULL,
  outcome TEXT,
  opened_at INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER,
  cache_write_tokens INTEGER,
  reasoning_tokens INTEGER,
  cost REAL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (owner, agent, session)
) WITHOUT ROWID;
CREATE INDEX holdfast_sessions_latest ON holdfast_sessions (last_activity);

-- What an owner has used on a day, in UTC. A model that is not known is the empty text. Rows outlive the sessions that they count.
CREATE TABLE holdfast_usage (
  owner TEXT NOT NULL,
  day TEXT NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  turns INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER,
  cache_write_tokens INTEGER,
  reasoning_tokens INTEGER,
  cost REAL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (owner, day, agent, model)
) WITHOUT ROWID;
CREATE INDEX holdfast_usage_day ON holdfast_usage (day);
