CREATE TABLE orders (id TEXT PRIMARY KEY, tenant TEXT NOT NULL, status TEXT NOT NULL) STRICT;
CREATE TABLE notes (
  key TEXT PRIMARY KEY, -- the idempotency key of the call
  order_id TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
