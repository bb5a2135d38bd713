CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  roles TEXT NOT NULL, -- a JSON array
  revoked_at TEXT
) STRICT;
